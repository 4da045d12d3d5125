import type { CallParts, DataOf } from '@/api/call'
import { numbers, words } from '@/api/words/RuleValues'
import type { Language } from '@/i18n/language'
import { inLanguage, type Pair } from '@/i18n/messages'
import { choiceText } from '@/kit/choices'
import { grouped } from '@/rules/format'
import { plan, ruleField, ruleScope, yearCard } from '../choices'
import { messages } from './messages'

export type RuleView = DataOf<'phoneRuleGet'>
export type Values = RuleView['own']
/** A rule, by its name. */
export type Key = keyof Values & string
/** For whom rules are asked for. */
export type Target = CallParts<'phoneRuleGet'>['query']
/** For whom rules hold, as the server says it. */
export type Scope = RuleView['of']

const { tree } = messages

/** The rules, in the server's order. */
export const keys = Object.keys(words) as readonly Key[]

/** The rules that are numbers. */
export const isNumber = (key: Key): key is keyof typeof numbers => key in numbers

/** What changes when the rules of anybody do. */
export const refresh = ['phoneRuleGet', 'phoneRuleHeld', 'phoneRuleScopeList', 'phoneRuleChangeList'] as const

/** The rule that the server calls by a number. Both lists are the server's, and in one order. */
export function keyOf(field: number): Key | undefined {
  return keys[ruleField.list.findIndex(({ value }) => value === field)]
}

/** A value in words; nothing where there is none. */
export function valueText(values: Values, key: Key, language: Language): string | undefined {
  const say = (pair: Pair) => inLanguage(pair, language)
  if (key === 'nightClose') {
    const { nightClose } = values
    if (!nightClose) return undefined
    return nightClose.from ? `${nightClose.from}–${nightClose.to}` : say(tree.open)
  }
  const value = values[key]
  if (value === undefined) return undefined
  if (key === 'yearCardOffline') return choiceText(yearCard, value, language)
  if (key === 'idleMinutes' && value === 0) return say(tree.never)
  return `${grouped(value)} ${say(numbers[key].unit)}`
}

/** Whom rules hold for, in words. What is gone is called by its number. */
export function scopeText(of: Scope | null | undefined, language: Language): string {
  if (!of) return inLanguage(tree.builtIn, language)
  const thing = of.phone ?? of.room
  const name = thing && (thing.name ?? `#${thing.id}`)
  const planName = of.plan && choiceText(plan, of.plan, language)
  return [name, planName].filter(Boolean).join(' · ') || choiceText(ruleScope, of.scope, language)
}

/** What the server is asked for about somebody. */
export function targetOf({ scope, plan, room, phone }: Scope): Target {
  return { scope, ...(plan && { plan }), ...(room && { roomId: room.id }), ...(phone && { phoneId: phone.id }) }
}

/** A value that is inherited: what it is, where it comes from, and for phones of which plan alone. */
export interface Inherited {
  text: string
  from: string
  plan?: number
}

/** What is inherited of a rule: one value, or one for each plan that has another. */
export function inherited(view: RuleView, key: Key, language: Language): readonly Inherited[] {
  const found: Inherited[] = []
  for (const { of, plan: only, values } of view.inherited) {
    const text = valueText(values, key, language)
    if (text === undefined || (only && found.some((one) => one.plan === only))) continue
    found.push({ text, from: scopeText(of, language), ...(only && { plan: only }) })
    // Whatever lies below a value for all is not reached.
    if (!only) break
  }
  // Nor is a value for all, where each plan has its own.
  const isForEach = plan.list.every(({ value }) => found.some((one) => one.plan === value))
  return isForEach ? found.filter((one) => one.plan !== undefined) : found
}

/** What is inherited of a rule, in a sentence. */
export function inheritedText(view: RuleView, key: Key, language: Language): Inherited {
  const all = inherited(view, key, language)
  const [first] = all
  if (all.length === 1 && first) return first
  const of = (one: Inherited) =>
    one.plan === undefined ? one.text : `${choiceText(plan, one.plan, language)} ${one.text}`
  return { text: all.map(of).join(' / '), from: [...new Set(all.map(({ from }) => from))].join(' / ') }
}
