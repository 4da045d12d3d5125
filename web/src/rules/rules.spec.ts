// What the web's side has beyond the shared table: form fields, values that only a browser sees, the browser's own zone.
import { describe, expect, it } from 'vitest'
import { setLanguage } from '@/i18n/language'
import { acceptOf, chosenFile } from './files'
import { toFormRule } from './form-rule'
import { formatDateTime } from './format'
import { port } from './network'
import { decimalBetween, integerBetween } from './numbers'
import { username } from './people'
import { maxChars, required } from './texts'
import { afterNow, readDateTime } from './times'
import { firstOf, ruleMessage, violation } from './violation'

describe('toFormRule', () => {
  it('refuses with the message in the language of the moment', async () => {
    const rule = toFormRule(username)
    setLanguage('zh')
    await expect(rule.validator({}, 'Admin')).rejects.toThrow('用户名须以小写字母开头')
    setLanguage('en')
    await expect(rule.validator({}, 'Admin')).rejects.toThrow('A username must start with a lowercase letter')
    setLanguage('zh')
    await expect(rule.validator({}, 'admin')).resolves.toBeUndefined()
  })

  it('lets a blank field pass unless its presence is the rule', async () => {
    await expect(toFormRule(username).validator({}, '')).resolves.toBeUndefined()
    await expect(
      toFormRule(integerBetween(1, 9) as (value: number | undefined) => undefined).validator({}, undefined),
    ).resolves.toBeUndefined()
    for (const blank of ['', '  ', undefined, null, []]) {
      await expect(toFormRule(required).validator({}, blank)).rejects.toThrow('不能为空')
    }
    await expect(toFormRule(required).validator({}, 0)).resolves.toBeUndefined()
    await expect(toFormRule(required).validator({}, false)).resolves.toBeUndefined()
  })

  it('marks a required field as such', () => {
    expect(toFormRule(required).required).toBe(true)
    expect(toFormRule(username).required).toBeUndefined()
  })
})

describe('numbers of a number field', () => {
  it.each([1.5, Number.NaN, Number.POSITIVE_INFINITY])('%s is no whole number', (value) => {
    expect(integerBetween(1, 100)(value)?.code).toBe('integer.format')
    expect(port(value)?.code).toBe('port.range')
  })

  it('takes decimal numbers without losing a digit', () => {
    expect(decimalBetween('1', '9.9', 2)(9.9)).toBeUndefined()
    expect(decimalBetween('1', '9.9', 2)(9.91)?.code).toBe('number.range')
    expect(decimalBetween('1', '9.9', 2)(1.005)?.code).toBe('number.decimals')
  })

  it('refuses a bound that is no number, because the code has it wrong', () => {
    expect(() => decimalBetween('one', '9', 1)('5')).toThrow('bound')
  })
})

describe('times in the zone of the browser', () => {
  it('are read as they are shown, in summer and in winter', () => {
    for (const text of ['2026-01-15 08:30:00', '2026-07-15 23:59:59', '2024-02-29 00:00:00']) {
      const reading = readDateTime(text)
      expect('value' in reading && formatDateTime(reading.value)).toBe(text)
    }
  })

  it('shows nothing for what is no time', () => {
    expect(formatDateTime(new Date('never'))).toBe('')
  })

  it('compares with the present when no other time is given', () => {
    expect(afterNow(Date.now() + 60_000)).toBeUndefined()
    expect(afterNow(Date.now() - 1)?.code).toBe('time.notAfterNow')
  })
})

describe('chosen files', () => {
  it('are judged by name, ending and size', () => {
    expect(chosenFile('certificate')({ name: 'server.crt', size: 2000 })).toBeUndefined()
    expect(chosenFile('certificate')({ name: 'server.crt', size: 70_000 })?.code).toBe('file.tooLarge')
    expect(chosenFile('certificate')({ name: 'server.key', size: 2000 })?.code).toBe('file.extension')
    expect(chosenFile('certificate')({ name: '../server.crt', size: 2000 })?.code).toBe('fileName.characters')
    expect(acceptOf('systemPackage')).toBe('.zip,.tar.gz')
  })
})

describe('violations', () => {
  it('fill in values once and leave other braces alone', () => {
    expect(ruleMessage(violation('keys.duplicate', { key: '{key} $& $1' }), 'en')).toContain(
      'The key {key} $& $1 appears',
    )
    expect(ruleMessage(violation('link.format'), 'zh')).toContain('{host}')
  })

  it('the first broken rule speaks', () => {
    expect(firstOf('', required, maxChars(3))?.code).toBe('required')
    expect(firstOf('abcd', required, maxChars(3))?.code).toBe('text.tooLong')
    expect(firstOf('abc', required, maxChars(3))).toBeUndefined()
  })
})
