import { type ReactNode, useState } from 'react'
import type { RowOf } from '@/api/call'
import { useApiMutation } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { action, danger } from '@/kit/action'
import { ReasonField } from '@/kit/form/reason-field'
import type { Selection } from '@/kit/list/selection'
import { useMaintenanceActs } from '../maintenance'
import { PlaceFields } from '../place-fields'
import { ShellDrawer } from '../shell/lazy-shell'
import { messages } from './messages'

type Card = Pick<RowOf<'cardList'>, 'id' | 'intranetIp' | 'adbPort' | 'networkStatus'>

interface Move {
  roomId: number
  hostId?: number
  position?: number
  reason?: string
}

/** What can be done with one card and with many. `host` holds what the acts open; put it anywhere in the page. */
export function useCardActs() {
  const m = useMessages(messages)
  const refresh = ['cardList', 'cardGet', 'cardCounts', 'cardEvents'] as const
  const maintain = useApiMutation('cardMaintain', { refresh })
  const retired = useApiMutation('cardRetire', { refresh })
  const moved = useApiMutation('cardMove', { refresh })
  const maintenance = useMaintenanceActs()
  const [shellOn, setShellOn] = useState<Card>()

  const of = (selection: Selection, state?: number) =>
    maintenance(
      'device:maintain',
      (body) => maintain.mutateAsync({ body: { ...body, selection: selection as never } }),
      state,
    )
  const retire = (selection: Selection) =>
    danger<{ reason: string }>(m.retire, {
      need: 'device:retire',
      confirm: m.retireQuestion,
      ask: <ReasonField />,
      run: ({ reason }) => retired.mutateAsync({ body: { reason, selection: selection as never } }),
    })
  const move = (card: Card) =>
    action<Move & { frameId?: number }>(m.move, {
      need: 'device:move',
      confirm: m.moveQuestion,
      ask: (
        <>
          <PlaceFields />
          <ReasonField optional />
        </>
      ),
      run: ({ frameId: _frame, ...to }) => moved.mutateAsync({ path: { id: card.id }, body: given(to) as Move }),
    })
  const shell = (card: Card) => action(m.shell, { need: 'device:shell', run: () => setShellOn(card) })
  const host: ReactNode = shellOn && (
    <ShellDrawer
      card={shellOn.id}
      name={`${shellOn.intranetIp}:${shellOn.adbPort}`}
      onClose={() => setShellOn(undefined)}
    />
  )
  return { of, retire, move, shell, host }
}

/** Without what was left blank. */
function given<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== '')
  return Object.fromEntries(entries) as never
}
