import { lazy } from 'react'
import type { RowOf } from '@/api/call'
import { useApiMutation } from '@/api/query'
import { sorts } from '@/api/words/LogoutRequestView'
import { useMessages } from '@/i18n/messages'
import { action, danger } from '@/kit/action'
import { columnsOf } from '@/kit/list/columns'
import { choiceParam, defineFilter, textParam } from '@/kit/list/filter'
import { ChoiceFilter, TextFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { logoutStatus } from '../choices'
import { clientUserPath } from '../links'
import { messages } from './messages'
import { logoutRequestCan } from './rules'

const GivenUp = lazy(() => import('./given-up-input'))

const filter = defineFilter({ keyWord: textParam(), status: choiceParam(logoutStatus) }, sorts)

const c = columnsOf<RowOf<'logoutRequestList'>>()

const columns = [
  c.reference('user', clientUserPath, { pin: 'start', lasting: true }),
  c.code('phone', { importance: 2 }),
  c.time('requestedAt', { importance: 3 }),
  c.choice('status', logoutStatus, { importance: 3 }),
  c.text('reason', { importance: 2 }),
  c.flag('reRegistered'),
  c.time('reRegisteredAt'),
  c.time('handledAt', { importance: 1 }),
  c.text('handledBy', { importance: 1 }),
]

/** Requests to close an account: withdraw one, or complete it. */
export default function LoggedOutPage() {
  const m = useMessages(messages)
  const list = useList('logoutRequestList', filter)
  const refresh = ['logoutRequestList', 'clientUserPage', 'clientUserGet'] as const
  const cancel = useApiMutation('logoutRequestCancel', { refresh })
  const complete = useApiMutation('logoutRequestComplete', { refresh })

  return (
    <ListPage
      messages={messages}
      list={list}
      columns={columns}
      exports={{ operation: 'logoutRequestExport', need: 'clientUserLogout:export' }}
      nameOf={({ user }) => user.name ?? `#${user.id}`}
      filters={
        <>
          <TextFilter name="keyWord" placeholder={m.search} />
          <ChoiceFilter name="status" choices={logoutStatus} />
        </>
      }
      rowActions={(request) => {
        const blocked = logoutRequestCan.beHandled(request) ? undefined : m.isHandled
        return [
          action(m.cancel, {
            need: 'clientUserLogout:cancel',
            blocked,
            confirm: m.cancelQuestion,
            run: () => cancel.mutateAsync({ body: { id: request.id } }),
          }),
          danger<{ givenUp?: string }>(m.complete, {
            need: 'clientUserLogout:complete',
            blocked,
            confirm: m.completeQuestion,
            ask: <GivenUp />,
            run: ({ givenUp }) => complete.mutateAsync({ path: { id: request.id }, body: { givenUp: givenUp ?? '' } }),
          }),
        ]
      }}
    />
  )
}
