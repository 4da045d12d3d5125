import { lazy } from 'react'
import { useMessages } from '@/i18n/messages'
import { action } from '@/kit/action'
import { ReasonField } from '@/kit/form/reason-field'
import { maintenance } from './choices'
import { maintenanceMessages } from './maintenance-messages'

const UntilField = lazy(() => import('./until-field'))

/** What is sent: the state, why, and until when. */
export interface Maintain {
  state: 1 | 2 | 3
  reason: string
  until?: string
}

type Asked = Omit<Maintain, 'state'>

/** Drain, begin the work, return to service: the same three for a card, a selection, a host, a frame and a room. */
export function useMaintenanceActs() {
  const m = useMessages(maintenanceMessages)
  const { none, draining, inMaintenance } = maintenance.value
  return (need: string, send: (maintain: Maintain) => Promise<unknown>, state?: number) => {
    const ask = (
      <>
        <ReasonField />
        <UntilField name="until" label={m.until} />
      </>
    )
    const drain = action<Asked>(m.drain, {
      need,
      confirm: m.drainQuestion,
      ask,
      run: (asked) => send({ ...asked, state: draining }),
    })
    const maintain = action<Asked>(m.maintain, {
      need,
      confirm: m.maintainQuestion,
      ask,
      run: (asked) => send({ ...asked, state: inMaintenance }),
    })
    const restore = action<Asked>(m.restore, {
      need,
      confirm: m.restoreQuestion,
      ask: <ReasonField optional />,
      run: ({ reason }) => send({ reason: reason ?? '', state: none }),
    })
    if (state === undefined) return [drain, maintain, restore]
    if (state === none) return [drain, maintain]
    return state === draining ? [maintain, restore] : [restore]
  }
}
