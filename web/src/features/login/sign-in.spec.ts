import { describe, expect, it } from 'vitest'
import { ApiFailure } from '@/api/failure'
import { browserName } from './browser-name'
import { codeAskedBy } from './sign-in'

describe('the browser name', () => {
  const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36'
  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0', '火狐浏览器'],
    [`${chrome} Edg/156.0.0.0`, 'Edge浏览器'],
    [chrome, '谷歌浏览器'],
    ['Mozilla/5.0 (Windows NT 10.0; Trident/7.0; rv:11.0) like Gecko', 'IE浏览器'],
    ['curl/8.0', '其他浏览器'],
  ])('%s is %s', (agent, name) => {
    expect(browserName(agent)).toBe(name)
  })
})

describe('the code that a refusal asks for', () => {
  const refused = (code: string, field = 'authCode') =>
    new ApiFailure({ status: 4001, httpStatus: 200, msg: '', errors: [{ field, code, message: '' }] })
  it('is the second factor or the captcha', () => {
    expect(codeAskedBy(refused('totpRequired'))).toBe('totp')
    expect(codeAskedBy(refused('captchaRequired'))).toBe('captcha')
  })
  it('is none for other refusals', () => {
    expect(codeAskedBy(refused('required', 'username'))).toBe('none')
    expect(codeAskedBy(new Error('x'))).toBe('none')
  })
})
