import './device.css'
import { defineMessages, useMessages } from '@/i18n/messages'
import { grouped } from '@/rules/format'
import { StatusTag } from '@/ui/status-tag'
import { networkStatus, runStatus } from './choices'
import { CardsLink } from './links'

const messages = defineMessages({
  online: ['在线', 'Online'],
  fault: ['故障', 'Fault'],
  offline: ['离线', 'Offline'],
  maintenance: ['维护', 'Maintenance'],
})

/** The counts of a place, each leading to its cards; what is nought and no count of its own is left out. */
export function PlaceCounts(props: {
  counts: { total: number; online: number; fault: number; offline: number; maintenance: number }
  where: Record<string, number>
}) {
  const m = useMessages(messages)
  const { counts, where } = props
  const { fault, offline, maintenance } = counts
  return (
    <span className="device-facts">
      <CardsLink filter={{ ...where, networkStatus: networkStatus.value.online }}>
        {`${m.online} ${grouped(counts.online)}/${grouped(counts.total)}`}
      </CardsLink>
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
