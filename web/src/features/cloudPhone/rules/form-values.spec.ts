import { describe, expect, it } from 'vitest'
import { words } from '@/api/words/RuleValues'
import { ruleField } from '../choices'
import { fieldOf, night, nightField, nightFrom, nightTo, toFields, toValues } from './form-values'
import { inherited, inheritedText, keyOf, keys, type RuleView, scopeText, type Values, valueText } from './values'

describe('the form of rules', () => {
  it('gives back what it was given, and leaves out what is inherited', () => {
    const all: Values[] = [
      {},
      { idleMinutes: 0, head: 9999 },
      { nightClose: { from: '', to: '' } },
      { nightClose: { from: '23:30', to: '06:00' }, yearCardOffline: 2 },
    ]
    for (const values of all) expect(toValues(toFields(values))).toEqual(values)
  })

  it('takes an emptied field for one that is inherited', () => {
    const fields = { ...toFields({ idleMinutes: 5, yearCardOffline: 3 }), [fieldOf('idleMinutes')]: null }
    expect(toValues({ ...fields, [fieldOf('yearCardOffline')]: 0 })).toEqual({})
    const closed = { ...fields, [nightField]: night.closed, [nightFrom]: '22:00', [nightTo]: '05:00' }
    expect(toValues(closed)).toEqual({ nightClose: { from: '22:00', to: '05:00' }, yearCardOffline: 3 })
    expect(toValues({ ...closed, [nightField]: night.inherit })).toEqual({ yearCardOffline: 3 })
  })
})

describe('the rules in words', () => {
  it('are named by the server, in its order', () => {
    expect(keys.map((_, at) => keyOf(at + 1))).toEqual(keys)
    // Numbers of rules stand for the keys of the same names.
    expect(keys.map((key) => words[key])).toEqual(ruleField.list.map(({ label }) => label))
    expect(keyOf(99)).toBeUndefined()
  })

  it('have their units, and words where a number says little', () => {
    expect(valueText({ idleMinutes: 30 }, 'idleMinutes', 'en')).toBe('30 min')
    expect(valueText({ idleMinutes: 0 }, 'idleMinutes', 'zh')).toBe('不自动下机')
    expect(valueText({ nightClose: { from: '', to: '' } }, 'nightClose', 'en')).toBe('Not closed')
    expect(valueText({ nightClose: { from: '23:00', to: '05:00' } }, 'nightClose', 'en')).toBe('23:00–05:00')
    expect(valueText({}, 'head', 'en')).toBeUndefined()
    expect(scopeText(null, 'en')).toBe('Built in')
    expect(scopeText({ scope: 4, plan: 2, room: { id: 7, name: null } }, 'en')).toBe('#7 · VIP')
  })

  it('are inherited from the narrowest, of several plans from each', () => {
    const everybody = { of: { scope: 1 as const }, values: { idleMinutes: 20 } }
    const view = (...inherits: RuleView['inherited']): RuleView => ({
      of: { scope: 3, room: { id: 1, name: '杭州' } },
      version: 0,
      own: {},
      inherited: inherits,
    })
    const ofPlan = (plan: 2 | 3 | 4, idleMinutes: number) => ({
      of: { scope: 2 as const, plan },
      plan,
      values: { idleMinutes },
    })
    const some = view(ofPlan(3, 60), everybody, { values: { idleMinutes: 30 } })
    expect(inherited(some, 'idleMinutes', 'en').map(({ text, plan }) => [text, plan])).toEqual([
      ['60 min', 3],
      ['20 min', undefined],
    ])
    expect(inheritedText(some, 'idleMinutes', 'en')).toEqual({ text: 'VVIP 60 min / 20 min', from: 'VVIP / Everybody' })
    const all = view(ofPlan(2, 1), ofPlan(3, 2), ofPlan(4, 3), everybody)
    expect(inherited(all, 'idleMinutes', 'en')).toHaveLength(3)
    expect(inheritedText(view(everybody), 'idleMinutes', 'en')).toEqual({ text: '20 min', from: 'Everybody' })
  })
})
