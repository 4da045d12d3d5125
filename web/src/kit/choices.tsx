import { type Language, useLanguage } from '@/i18n/language'
import { inLanguage, type Pair } from '@/i18n/messages'
import { words } from '@/i18n/words'
import { StateLabel } from '@/ui/state-chip'
import type { State } from '@/ui/states'
import { StatusTag } from '@/ui/status-tag'
import type { Tone } from '@/ui/tone'

/** What a closed list may hold. */
export type ChoiceValue = string | number | boolean

/** One value of a closed list, as people read it. Without a tone it is plain text: not every choice is a state. */
export interface Choice<V extends ChoiceValue> {
  value: V
  label: Pair
  tone?: Tone
  /** The state of a card that it is: it is shown with that sign and colour instead of as a tag. */
  state?: State
}

/** A closed list: its values by name for code, and its entries in order for people. */
export interface Choices<V extends ChoiceValue = ChoiceValue> {
  readonly list: readonly Choice<V>[]
  find(value: unknown): Choice<V> | undefined
}

/** The words of a closed list, as `api/words` has them. */
type Entries = Readonly<Record<string, Choice<ChoiceValue>>>

/**
 * Declares a closed list. `clientUserStatus.value.active` is the number that goes over the wire. Values and labels are
 * the server's, from `api/words`; where it has none, such as for yes and no, the list has its own. A list of states has
 * a tone for each of them: a state that the server adds is a type error until it has one.
 */
export function defineChoices<const T extends Entries>(entries: T, tones?: { readonly [K in keyof NoInfer<T>]: Tone }) {
  type V = T[keyof T]['value']
  const named = Object.entries(entries)
  const list = named.map(([name, entry]) =>
    tones ? { ...entry, tone: tones[name] } : entry,
  ) as unknown as readonly Choice<V>[]
  const value = Object.fromEntries(named.map(([name, entry]) => [name, entry.value]))
  return {
    list,
    value: value as { readonly [K in keyof T]: T[K]['value'] },
    find: (wanted: unknown) => list.find((entry) => entry.value === wanted),
  }
}

/** Yes or no, of what is either. */
export const yesNo = defineChoices({
  yes: { value: true, label: words.tree.yes },
  no: { value: false, label: words.tree.no },
})

/** A list that the server keeps, such as groups: its texts are names, the same in both languages. */
export function choicesOf<V extends ChoiceValue>(entries: readonly (readonly [value: V, name: string])[]): Choices<V> {
  const list = entries.map(([value, name]): Choice<V> => ({ value, label: [name, name] }))
  return { list, find: (wanted) => list.find(({ value }) => value === wanted) }
}

/** A list whose values are the states of a card. A state that the server adds is a type error until it has a look. */
export function withStates<
  C extends Choices & { readonly value: { readonly [K in keyof C['value']]: K extends State ? ChoiceValue : never } },
>(choices: C): C {
  const states = new Map(Object.entries(choices.value).map(([name, value]) => [value, name as State]))
  const list = choices.list.map((entry) => {
    const state = states.get(entry.value)
    return state ? { ...entry, state } : entry
  })
  return { ...choices, list, find: (wanted: unknown) => list.find(({ value }) => value === wanted) }
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

/** A value of a closed list: the state of a card with its sign, any other state as a tag, else plain text. */
export function ChoiceLabel({ choices, value }: { choices: Choices; value: unknown }) {
  const text = choiceText(choices, value, useLanguage())
  const { tone, state } = choices.find(value) ?? {}
  if (state) return <StateLabel state={state}>{text}</StateLabel>
  return tone ? <StatusTag tone={tone}>{text}</StatusTag> : text
}
