import type { RowOf } from '@/api/call'
import { columnsOf } from '@/kit/list/columns'
import { freeText } from '@/ui/data-table'
import { clientUserPath } from '../../clientUser/links'
import { cardPath, roomPath } from '../../device/links'
import { phonePath } from '../paths'
import { Lasting, SessionState } from './figures'
import { onFor, usedFor } from './lasting'

const c = columnsOf<RowOf<'phoneSessionList'>>()

/** The columns of sessions, wherever they are listed. */
export const phone = c.reference('phone', phonePath, { isCode: true, pin: 'start', lasting: true })
export const card = c.reference('card', cardPath, { isCode: true, importance: 4 })
export const state = c.custom('state', (stay) => <SessionState of={stay} />, { ...freeText, importance: 6 })
export const began = c.time('beganAt', { importance: 5 })
export const ended = c.time('endedAt', { importance: 2 })
export const onTime = c.custom('onS', (stay) => <Lasting seconds={onFor(stay, Date.now())} />, {
  align: 'end',
  importance: 4,
})
export const usedTime = c.custom('streamedS', (stay) => <Lasting seconds={usedFor(stay, Date.now())} />, {
  align: 'end',
  importance: 4,
})
export const user = c.reference('user', clientUserPath, { importance: 3 })
const waited = c.custom('waitS', (stay) => <Lasting seconds={stay.waitS} />, { align: 'end', importance: 2 })
const silent = c.custom('silentS', (stay) => <Lasting seconds={stay.silentS} />, { align: 'end', spare: true })

export const columns = [
  phone,
  state,
  user,
  card,
  began,
  onTime,
  usedTime,
  waited,
  ended,
  c.reference('app', undefined, { importance: 2 }),
  c.text('gateway', { importance: 1 }),
  c.reference('room', roomPath, { importance: 1 }),
  c.number('streams', { importance: 1 }),
  c.time('streamAt', { spare: true }),
  c.time('firstStreamAt', { spare: true }),
  c.time('lastStreamAt', { spare: true }),
  silent,
  c.time('askedAt', { spare: true }),
  c.code('board', { spare: true }),
]
