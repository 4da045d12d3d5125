import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { usePreference } from '@/access/preferences'
import { refreshQueries, useApiQuery } from '@/api/query'
import { useEvents, useSilence } from '@/api/use-events'
import { useMessages } from '@/i18n/messages'
import { formatDateTime } from '@/rules/format'
import { Button } from '@/ui/button'
import { SettingIcon } from '@/ui/icons'
import { Placeholder } from '@/ui/placeholder'
import { Skeleton } from '@/ui/skeleton'
import { type Arrangement, arranged, rowsOf, untouched } from './arrange'
import './dashboard.css'
import './lists.css'
import type { Dashboard } from './data'
import { Integrity } from './integrity'
import { messages } from './messages'
import { useDays } from './trend'
import { useSections } from './use-sections'

/** Few arrange their page, and then once: what that takes comes when it is asked for. */
const Layout = lazy(() => import('./layout'))

/** Current figures and the trends of the last days; every number leads to what it counts. */
export default function DashboardPage() {
  const m = useMessages(messages)
  const client = useQueryClient()
  const days = useDays()
  const query = useApiQuery('dashboard', { query: { days } }, { keepPrevious: true, refetchInterval: 60_000 })
  const reload = () => void refreshQueries(client, ['dashboard', 'attentionList'])
  useEvents('general', reload, reload)

  if (!query.data && query.error) {
    return <Placeholder title={m.loadFailed} action={<Button onClick={() => void query.refetch()}>{m.retry}</Button>} />
  }
  if (!query.data) return <Skeleton label={m.loading} />
  return <Sections data={query.data} at={query.dataUpdatedAt} />
}

/** Whether the figures are those of now, or when they stopped. */
export function Freshness({ at }: { at: number }) {
  const m = useMessages(messages)
  const silent = useSilence('general')
  const clock = (moment: number) => formatDateTime(new Date(moment)).slice(11)
  return (
    <span className="dashboard-fresh" data-stopped={silent !== undefined || undefined}>
      {silent === undefined ? m.updatedAt(clock(at)) : m.stoppedAt(clock(silent))}
    </span>
  )
}

/** What this operator may see, as he has arranged it. */
function Sections({ data, at }: { data: Dashboard; at: number }) {
  const m = useMessages(messages)
  const [arrangement, setArrangement] = usePreference<Arrangement>('dashboard.arrangement', untouched)
  const [isArranging, setArranging] = useState(false)
  const { order, hidden } = arrangement
  const sections = arranged(useSections(data), order)
  const shown = sections.filter(({ id }) => !hidden.includes(id))
  return (
    <div className="dashboard">
      <div className="dashboard-line">
        <Freshness at={at} />
        {data.integrity?.ok && <Integrity found={data.integrity} />}
        <Button size="small" icon={<SettingIcon aria-hidden />} onClick={() => setArranging(true)}>
          {m.arrange}
        </Button>
      </div>
      {data.integrity && !data.integrity.ok && <Integrity found={data.integrity} />}
      {rowsOf(shown).map(({ grows, placed }) => (
        <div key={placed[0]?.section.id} className="dashboard-row" data-grows={grows || undefined}>
          {placed.map(({ span, section: { id, content } }) => (
            <div key={id} className="dashboard-place" style={{ flexGrow: span }}>
              {content}
            </div>
          ))}
        </div>
      ))}
      {isArranging && (
        <Suspense fallback={null}>
          <Layout sections={sections} hidden={hidden} onChange={setArrangement} onClose={() => setArranging(false)} />
        </Suspense>
      )}
    </div>
  )
}
