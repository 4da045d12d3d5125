import type { RowOf } from '@/api/call'
import { useLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import { choiceText } from '@/kit/choices'
import { kitMessages } from '@/kit/messages'
import { grouped } from '@/rules/format'
import { openOwner, openScope } from '../choices'
import { messages } from './messages'

type App = RowOf<'openAppList'>

/** Whose an application is: the company, or which agent or partner. */
export function Owner({ of: { owner, ownerName } }: { of: Pick<App, 'owner' | 'ownerName'> }) {
  const kind = choiceText(openOwner, owner, useLanguage())
  const text = ownerName ? `${kind} · ${ownerName}` : kind
  return <span title={text}>{text}</span>
}

/** What an application may call. */
export function Scopes({ of: { scopes } }: { of: Pick<App, 'scopes'> }) {
  const language = useLanguage()
  const { comma } = useMessages(kitMessages)
  const text = scopes.map((scope) => choiceText(openScope, scope, language)).join(comma)
  return <span title={text}>{text}</span>
}

/** How many keys live. */
export function KeyCount({ of: { keys } }: { of: Pick<App, 'keys'> }) {
  const m = useMessages(messages)
  return m.keyCount(keys.length)
}

/** How many calls a day. */
export function PerDay({ of: { perDay } }: { of: Pick<App, 'perDay'> }) {
  const m = useMessages(messages)
  return typeof perDay === 'number' ? grouped(perDay) : <span className="sky-soft">{m.noLimit}</span>
}
