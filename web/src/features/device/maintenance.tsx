import { lazy } from 'react'
import type { Code } from '@/api/codes'
import { useMessages } from '@/i18n/messages'
import { action } from '@/kit/action'
import { ReasonField } from '@/kit/form/reason-field'
import { grouped } from '@/rules/format'
import { maintenance } from './choices'
import { maintenanceMessages } from './maintenance-messages'

const UntilField = lazy(() => import('./until-field'))

/** What is sent: the state, why, and until when. */
export interface Maintain {
  state: 1 | 2 | 3
  reason: string
  until?: string
}

/** A place as its question calls it, and the cards and users that it concerns. */
export interface WholePlace {
  names: readonly string[]
  counts: { total: number; inUse: number }
}

type Asked = Omit<Maintain, 'state'>

/** Drain, start maintenance, return to service: the same three for a card, a selection, a host, a frame and a room. */
export function useMaintenanceActs() {
  const m = useMessages(maintenanceMessages)
  const { none, draining, inMaintenance } = maintenance.value
  return (need: Code, send: (maintain: Maintain) => Promise<unknown>, state?: number, whole?: WholePlace) => {
    // A place is named with the room that it is in, and with what it takes along.
    const about = (question: string) => {
      if (!whole) return question
      const { total, inUse } = whole.counts
      return m.about(whole.names.join(' · '), grouped(total), grouped(inUse), question)
    }
    const ask = (
      <>
        <ReasonField />
        <UntilField name="until" label={m.until} />
      </>
    )
    const drain = action<Asked>(m.drain, {
      need,
      confirm: about(m.drainQuestion),
      ask,
      run: (asked) => send({ ...asked, state: draining }),
    })
    const maintain = action<Asked>(m.maintain, {
      need,
      confirm: about(m.maintainQuestion),
      ask,
      run: (asked) => send({ ...asked, state: inMaintenance }),
    })
    const giveBack = action<Asked>(m.return, {
      need,
      confirm: about(m.returnQuestion),
      ask: <ReasonField optional />,
      run: ({ reason }) => send({ reason: reason ?? '', state: none }),
    })
    if (state === undefined) return [drain, maintain, giveBack]
    if (state === none) return [drain, maintain]
    return state === draining ? [maintain, giveBack] : [giveBack]
  }
}
