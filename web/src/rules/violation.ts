import messages from '../../../api/rule-messages.json'

/** Every code that a rule can answer. The server speaks the same codes and messages. */
export type RuleCode = keyof typeof messages

/** A broken rule: its code and the values that its message names. */
export interface Violation {
  readonly code: RuleCode
  readonly params: Readonly<Record<string, string>>
}

/** What a rule answers: nothing, or how the value breaks it. */
export type Verdict = Violation | undefined

/** A rule about one value. */
export type Rule<T> = (value: T) => Verdict

/** A text that was read: its value, or what is wrong with it. */
export type Reading<T> = { readonly value: T } | { readonly violation: Violation }

export function violation(code: RuleCode, params: Record<string, string | number> = {}): Violation {
  const texts = Object.entries(params).map(([name, value]) => [name, String(value)] as const)
  return { code, params: Object.fromEntries(texts) }
}

/** The violation of a reading, for rules that only judge. */
export const verdictOf = (reading: Reading<unknown>): Verdict =>
  'violation' in reading ? reading.violation : undefined

/** The verdict of the first rule that the value breaks. */
export function firstOf<T>(value: T, ...rules: readonly Rule<T>[]): Verdict {
  for (const rule of rules) {
    const found = rule(value)
    if (found) return found
  }
  return undefined
}

/** The sentence for people: what is wrong and what to do. Braces that name no value, such as `{host}`, stay. */
export function ruleMessage({ code, params }: Violation, language: 'zh' | 'en'): string {
  const template = messages[code][language === 'zh' ? 0 : 1] ?? code
  return template.replace(/\{([^{}]*)\}/g, (braces, name: string) =>
    Object.hasOwn(params, name) ? (params[name] ?? braces) : braces,
  )
}
