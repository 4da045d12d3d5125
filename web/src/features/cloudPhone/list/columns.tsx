import type { RowOf } from '@/api/call'
import { columnsOf } from '@/kit/list/columns'
import { clientUserPath } from '../../clientUser/links'
import { CardLink, roomPath } from '../../device/links'
import { plan, source, useType } from '../choices'
import { Disk, Expiry, PhoneState } from './state'

const c = columnsOf<RowOf<'phoneList'>>()
const none = <span className="sky-soft">—</span>

/** The columns of phones, wherever they are listed. */
export const code = c.detail('code', { width: 112, isCode: true })
export const state = c.custom('life', (phone) => <PhoneState of={phone} />, { width: 138, importance: 5 })
export const planColumn = c.choice('plan', plan, { width: 70, importance: 4 })
export const card = c.custom(
  'card',
  ({ card }) => (card ? <CardLink id={card.id} name={card.name ?? String(card.id)} /> : none),
  { width: 110, importance: 3 },
)
export const disk = c.custom('diskGb', (phone) => <Disk of={phone} />, { width: 165, importance: 3 })
export const expiry = c.custom('expiresAt', (phone) => <Expiry of={phone} />, { width: 215, importance: 4 })

export const columns = [
  code,
  c.text('name', { width: 110, importance: 1 }),
  c.reference('user', clientUserPath, { width: 115, importance: 5 }),
  c.code('userPhone', { width: 120, spare: true }),
  planColumn,
  state,
  card,
  c.reference('room', roomPath, { width: 125, importance: 2 }),
  disk,
  expiry,
  c.time('lastUsedAt', { importance: 1 }),
  c.time('lastBackupAt'),
  c.choice('source', source, { width: 90 }),
  c.code('board', { width: 100, spare: true }),
  c.choice('useType', useType, { width: 125, spare: true }),
  c.bytes('usedBytes', { spare: true }),
  c.code('image', { spare: true }),
  c.text('frozenReason', { width: 170, spare: true }),
  c.time('staysUntil', { spare: true }),
  c.time('createdAt', { spare: true }),
  c.text('remark', { width: 180, spare: true }),
]
