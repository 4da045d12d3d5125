import './device.css'
import { words as roomWords } from '@/api/words/RoomView'
import { defineMessages, useMessages } from '@/i18n/messages'
import { grouped } from '@/rules/format'
import { StatusTag } from '@/ui/status-tag'
import { runStatus } from './choices'
import { CardsLink } from './links'

// Rooms, frames and hosts count alike.
const messages = defineMessages({
  online: roomWords['counts.online'],
  fault: roomWords['counts.fault'],
  offline: roomWords['counts.offline'],
  maintenance: roomWords['counts.maintenance'],
})

/** The counts of a place, leading to all of its cards; what is nought and no count of its own is left out. */
export function PlaceCounts(props: {
  counts: { total: number; online: number; fault: number; offline: number; maintenance: number }
  where: Record<string, number>
}) {
  const m = useMessages(messages)
  const { counts, where } = props
  const { fault, offline, maintenance } = counts
  return (
    <span className="device-facts">
      <CardsLink filter={where}>{`${m.online} ${grouped(counts.online)}/${grouped(counts.total)}`}</CardsLink>
      {fault > 0 && <Count tone="bad" label={m.fault} count={fault} />}
      {offline > 0 && <Count tone="bad" label={m.offline} count={offline} />}
      {maintenance > 0 && <Count tone="warn" label={m.maintenance} count={maintenance} />}
    </span>
  )
}

function Count({ tone, label, count }: { tone: 'bad' | 'warn'; label: string; count: number }) {
  return <StatusTag tone={tone}>{`${label} ${grouped(count)}`}</StatusTag>
}

export const statusKeys = {
  [runStatus.value.idle]: 'idle',
  [runStatus.value.inUse]: 'inUse',
  [runStatus.value.maintenance]: 'maintenance',
  [runStatus.value.fault]: 'fault',
  [runStatus.value.upgrading]: 'upgrading',
  [runStatus.value.offline]: 'offline',
  [runStatus.value.unknown]: 'unknown',
} as const
