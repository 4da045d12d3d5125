import { lazy, Suspense, useState } from 'react'
import type { RowOf } from '@/api/call'
import { useApiMutation } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { action, danger } from '@/kit/action'
import { columnsOf } from '@/kit/list/columns'
import { defineFilter, idParam } from '@/kit/list/filter'
import { ChoiceFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { StatusTag } from '@/ui/status-tag'
import { useRooms } from '../places'
import { tokenMessages } from './messages'

const Form = lazy(() => import('./token-form'))

type Token = RowOf<'joinTokenList'>

const filter = defineFilter({ roomId: idParam() }, ['createdBy', 'createdAt', 'expiresAt', 'usedAt'])
const c = columnsOf<Token>()

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
  const rooms = useRooms()
  const revoke = useApiMutation('joinTokenRevoke', { refresh: ['joinTokenList'] })
  const [isMaking, setMaking] = useState(false)
  const columns = [
    c.custom('roomId', (token) => rooms.name(token.roomId), { width: 220, pin: 'start' }),
    c.custom('state', (token) => <State token={token} />, { width: 120 }),
    c.text('createdBy'),
    c.time('createdAt'),
    c.time('expiresAt'),
    c.time('usedAt'),
  ]
  return (
    <ListPage
      messages={tokenMessages}
      list={list}
      columns={columns}
      exports={{ operation: 'joinTokenExport', need: 'roomAgent:export' }}
      nameOf={(token) => rooms.name(token.roomId)}
      filters={<ChoiceFilter name="roomId" choices={rooms.choices} width={180} />}
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
      <Suspense>{isMaking && <Form rooms={rooms} onClose={() => setMaking(false)} />}</Suspense>
    </ListPage>
  )
}
