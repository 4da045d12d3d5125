import { lazy, Suspense, useState } from 'react'
import type { RowOf } from '@/api/call'
import { useApiMutation } from '@/api/query'
import { sorts } from '@/api/words/JoinTokenView'
import { useMessages } from '@/i18n/messages'
import { action, danger } from '@/kit/action'
import { columnsOf } from '@/kit/list/columns'
import { defineFilter, idParam } from '@/kit/list/filter'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { ReferenceFilter } from '@/kit/reference/reference-filter'
import { StatusTag } from '@/ui/status-tag'
import { roomPath } from '../links'
import { rooms } from '../places'
import { tokenMessages } from './messages'

const Form = lazy(() => import('./token-form'))

type Token = RowOf<'joinTokenList'>

const filter = defineFilter({ roomId: idParam() }, sorts)
const c = columnsOf<Token>()

const columns = [
  c.reference('room', roomPath, { pin: 'start' }),
  c.custom('state', (token) => <State token={token} />, { importance: 3 }),
  c.text('createdBy', { importance: 1 }),
  c.time('createdAt'),
  c.time('expiresAt', { importance: 2 }),
  c.time('usedAt'),
]

function State({ token }: { token: Token }) {
  const m = useMessages(tokenMessages)
  if (token.open) return <StatusTag tone="good">{m.usable}</StatusTag>
  const word = token.usedAt ? m.used : token.revokedAt ? m.revoked : m.expired
  return <StatusTag tone="muted">{word}</StatusTag>
}

/** Tokens with which agents join, once each. */
export default function Tokens() {
  const m = useMessages(tokenMessages)
  const list = useList('joinTokenList', filter)
  const revoke = useApiMutation('joinTokenRevoke', { refresh: ['joinTokenList'] })
  const [isMaking, setMaking] = useState(false)
  return (
    <ListPage
      messages={tokenMessages}
      list={list}
      columns={columns}
      exports={{ operation: 'joinTokenExport', need: 'roomAgent:export' }}
      nameOf={({ room }) => room.name ?? `#${room.id}`}
      filters={<ReferenceFilter name="roomId" source={rooms} width={180} />}
      pageActions={[action(m.create, { need: 'roomAgent:invite', run: () => setMaking(true) })]}
      rowActions={(token) => [
        danger(m.revoke, {
          need: 'roomAgent:revoke',
          blocked: token.open ? undefined : m.expired,
          confirm: m.revokeQuestion,
          run: () => revoke.mutateAsync({ path: { id: token.id } }),
        }),
      ]}
    >
      <Suspense>{isMaking && <Form onClose={() => setMaking(false)} />}</Suspense>
    </ListPage>
  )
}
