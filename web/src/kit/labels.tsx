import './kit.css'
import { createContext, type ReactNode, useContext } from 'react'
import { type Messages, type MessageTree, type Pair, useMessages } from '@/i18n/messages'

/** Texts with the labels of the fields of a thing, shared by its list, its form and its detail. */
export type FieldTexts = MessageTree & { readonly fields: { readonly [key: string]: Pair } }

const LabelContext = createContext<Readonly<Record<string, string>>>({})

/** Tells everything below how fields are called: `messages.fields[name]`. */
export function Labels({ messages, children }: { messages: Messages<FieldTexts>; children: ReactNode }) {
  const { fields } = useMessages(messages)
  return <LabelContext.Provider value={fields as Readonly<Record<string, string>>}>{children}</LabelContext.Provider>
}

/** The label of a field, by convention unless one is given. */
export function useLabel(name: string, given?: string): string {
  const labels = useContext(LabelContext)
  return given ?? labels[name] ?? name
}

/** All labels in this context. */
export const useLabels = () => useContext(LabelContext)
