import type { RowOf } from '@/api/call'
import { columnsOf } from '@/kit/list/columns'
import { DetailLink } from '@/kit/list/detail-link'
import { freeText } from '@/ui/data-table'
import { clientUserPath } from '../../clientUser/links'
import { cardPath } from '../../device/links'
import { backupKind } from '../choices'
import { nodePath } from '../links'
import { BackupStateLabel, Kept, Took } from './figures'

const c = columnsOf<RowOf<'backupList'>>()

export const id = c.detail('id', { isCode: true })
/** The phone; it leads to its copy. */
const phone = c.custom(
  'phone',
  ({ id, phone }) => (
    <DetailLink id={id}>
      <span className="sky-mono">{phone.name ?? phone.id}</span>
    </DetailLink>
  ),
  {
    guess: 120,
    pin: 'start',
    lasting: true,
    opens: true,
  },
)
export const state = c.custom('state', (backup) => <BackupStateLabel of={backup} />, { ...freeText, importance: 4 })
export const kept = c.custom('isKept', (backup) => <Kept of={backup} />, { importance: 3 })
export const bytes = c.bytes('bytes', { importance: 3 })
export const began = c.time('beganAt', { importance: 4 })
export const verified = c.time('verifiedAt', { importance: 2 })
export const took = c.custom('millis', (backup) => <Took of={backup} />, { align: 'end', importance: 2 })

export const columns = [
  phone,
  state,
  kept,
  began,
  bytes,
  c.bytes('addedBytes', { importance: 2 }),
  took,
  c.reference('node', nodePath, { importance: 3 }),
  c.reference('user', clientUserPath, { importance: 1 }),
  verified,
  c.choice('kind', backupKind, { importance: 1 }),
  c.reference('card', cardPath, { isCode: true, importance: 1 }),
  c.code('image', { spare: true }),
  c.code('board', { spare: true }),
  c.number('files', { spare: true }),
  c.number('restores', { spare: true }),
  c.code('id', { spare: true }),
]
