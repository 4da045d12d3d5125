import { useNavigate } from 'react-router'
import { useApiMutation } from '@/api/query'
import { defineMessages, useMessages } from '@/i18n/messages'
import { type Action, action } from '@/kit/action'
import { grouped } from '@/rules/format'
import { useMaintenanceActs } from './maintenance'
import { useOperationActs } from './operations/acts'
import type { Begin } from './operations/spec'

const messages = defineMessages({
  panel: ['在面板中查看', 'Show in panel'],
  fewer: (bad: string, total: string) => [
    `${bad}/${total} 张卡离线或故障`,
    `${bad} of ${total} cards offline or faulty`,
  ],
  noCards: ['其中没有安卓卡', 'It holds no cards'],
  planned: ['计划维护', 'Planned maintenance'],
})

/** A frame or a host, as far as its acts need it. */
export interface ActedPlace {
  kind: 'frame' | 'host'
  id: number
  roomId: number
  name: string
  room: { name?: string | null }
  frame?: { name?: string | null }
  counts: { total: number; inUse: number; fault: number; offline: number }
  maintenance: { state: number }
}

const power: readonly Begin['name'][] = ['powerCycle', 'powerOn', 'powerOff', 'reboot']

/**
 * What can be done with a frame or a host as a whole: operations on all of its cards, its maintenance, and where it
 * stands. The reason is filled from what is known of it, so that the commonest case is confirmed as it stands.
 */
export function usePlaceActs() {
  const m = useMessages(messages)
  const navigate = useNavigate()
  const operate = useOperationActs()
  const maintenanceActs = useMaintenanceActs()
  const refresh = ['frameList', 'hostList', 'hostGet', 'fleetTree', 'cardList', 'cardCounts'] as const
  const frame = useApiMutation('frameMaintain', { refresh })
  const host = useApiMutation('hostMaintain', { refresh })

  return (place: ActedPlace): { operations: Action[]; maintenance: Action[]; panel: Action } => {
    const { kind, id, counts } = place
    const bad = counts.fault + counts.offline
    // Where nothing is wrong, nobody but the operator knows why.
    const known = bad > 0 && { values: { 'options.reason': m.fewer(grouped(bad), grouped(counts.total)) } }
    const path = { id }
    return {
      operations: operate({ filter: kind === 'frame' ? { frameId: id } : { hostId: id } }, 'many', power).map(
        ({ group: _, ...act }) => ({
          ...act,
          ...known,
          ...(counts.total === 0 && { blocked: m.noCards }),
        }),
      ),
      maintenance: maintenanceActs(
        'room:maintain',
        (body) => (kind === 'frame' ? frame : host).mutateAsync({ path, body }),
        place.maintenance.state,
        { names: [place.room.name, place.frame?.name, place.name].filter((name) => name != null), counts },
      ).map((act) => ({ ...act, values: { reason: m.planned } }) as Action),
      panel: action(m.panel, {
        need: 'devicePanel:view',
        run: () => void navigate(`/device/panel?room=${place.roomId}&${kind}=${id}`),
      }) as Action,
    }
  }
}
