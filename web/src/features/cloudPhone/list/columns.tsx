import type { RowOf } from '@/api/call'
import { columnsOf } from '@/kit/list/columns'
import { clientUserPath } from '../../clientUser/links'
import { CardLink, roomPath } from '../../device/links'
import { plan, pool, source, useType } from '../choices'
import { Disk, Expiry, PhoneState } from './state'

const c = columnsOf<RowOf<'phoneList'>>()
const none = <span className="sky-soft">—</span>

/** The columns of phones, wherever they are listed. */
export const code = c.detail('code', { isCode: true })
export const state = c.custom('life', (phone) => <PhoneState of={phone} />, { importance: 5 })
export const planColumn = c.choice('plan', plan, { importance: 4 })
export const card = c.custom(
  'card',
  ({ card }) => (card ? <CardLink id={card.id} name={card.name ?? String(card.id)} /> : none),
  { importance: 3 },
)
export const disk = c.custom('diskGb', (phone) => <Disk of={phone} />, { importance: 3 })
export const expiry = c.custom('expiresAt', (phone) => <Expiry of={phone} />, { importance: 4 })

export const columns = [
  code,
  c.text('name', { importance: 1 }),
  c.reference('user', clientUserPath, { importance: 5 }),
  c.code('userPhone', { spare: true }),
  planColumn,
  state,
  card,
  c.reference('room', roomPath, { importance: 2 }),
  disk,
  expiry,
  c.time('lastUsedAt', { importance: 1 }),
  c.time('lastBackupAt'),
  c.choice('pool', pool),
  c.choice('source', source),
  c.code('board', { spare: true }),
  c.choice('useType', useType, { spare: true }),
  c.bytes('usedBytes', { spare: true }),
  c.code('image', { spare: true }),
  c.text('frozenReason', { spare: true }),
  c.time('staysUntil', { spare: true }),
  c.time('createdAt', { spare: true }),
  c.text('remark', { spare: true }),
]
