import { type Language, useLanguage } from '@/i18n/language'
import { inLanguage, type Pair } from '@/i18n/messages'
import { StatusTag } from '@/ui/status-tag'
import type { Tone } from '@/ui/tone'

/** What a closed list may hold. */
export type ChoiceValue = string | number | boolean

/** One value of a closed list, as people read it. Without a tone it is plain text: not every choice is a state. */
export interface Choice<V extends ChoiceValue> {
  value: V
  label: Pair
  tone?: Tone
}

/** A closed list: its values by name for code, and its entries in order for people. */
export interface Choices<V extends ChoiceValue = ChoiceValue> {
  readonly list: readonly Choice<V>[]
  find(value: unknown): Choice<V> | undefined
}

/** Declares a closed list. `clientUserStatus.value.active` is the number that goes over the wire. */
export function defineChoices<const T extends Record<string, Choice<ChoiceValue>>>(entries: T) {
  type V = T[keyof T]['value']
  const list = Object.values(entries) as unknown as readonly Choice<V>[]
  const value = Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, entry.value]))
  return {
    list,
    value: value as { readonly [K in keyof T]: T[K]['value'] },
    find: (wanted: unknown) => list.find((entry) => entry.value === wanted),
  }
}

/** A list that the server keeps, such as groups: its texts are names, the same in both languages. */
export function choicesOf<V extends ChoiceValue>(entries: readonly (readonly [value: V, name: string])[]): Choices<V> {
  const list = entries.map(([value, name]): Choice<V> => ({ value, label: [name, name] }))
  return { list, find: (wanted) => list.find(({ value }) => value === wanted) }
}

/** The label of a value; a value that this build does not know is shown as it came. */
export function choiceText(choices: Choices, value: unknown, language: Language): string {
  const choice = choices.find(value)
  return choice ? inLanguage(choice.label, language) : String(value ?? '')
}

/** The entries as a select takes them. It handles yes and no as well, although its types do not say so. */
export function useOptions(choices: Choices) {
  const language = useLanguage()
  return choices.list.map(({ value, label }) => ({
    value: value as string | number,
    label: inLanguage(label, language),
  }))
}

/** A value of a closed list: a tag when it is a state, else plain text. */
export function ChoiceLabel({ choices, value }: { choices: Choices; value: unknown }) {
  const text = choiceText(choices, value, useLanguage())
  const tone = choices.find(value)?.tone
  return tone ? <StatusTag tone={tone}>{text}</StatusTag> : text
}
