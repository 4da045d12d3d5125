import { Link } from 'react-router'
import type { DataOf } from '@/api/call'
import { useApiQuery } from '@/api/query'
import { useLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import { formatDateTime, relativeTime } from '@/rules/format'
import { Button } from '@/ui/button'
import { toneIcon } from '@/ui/icons'
import { Placeholder } from '@/ui/placeholder'
import { Skeleton } from '@/ui/skeleton'
import { messages } from './messages'
import { useWalk } from './use-walk'

type Concern = DataOf<'attentionList'>[number]

/** What needs an operator, the urgent first, each with the page where it is set right. */
export function Attention() {
  const m = useMessages(messages)
  const query = useApiQuery('attentionList', {}, { keepPrevious: true, refetchInterval: 60_000 })
  const urgent = query.data?.filter((concern) => concern.urgent).length ?? 0
  const others = (query.data?.length ?? 0) - urgent
  return (
    <section className="dashboard-card" data-section="attention" aria-label={m.attention}>
      <header>
        <h2>{m.attention}</h2>
        {urgent > 0 && <span className="dashboard-count" data-urgent>{`${m.urgent} ${urgent}`}</span>}
        {others > 0 && <span className="dashboard-count">{`${m.notice} ${others}`}</span>}
      </header>
      {query.data ? (
        <Concerns concerns={query.data} />
      ) : query.error ? (
        <Placeholder title={m.loadFailed} action={<Button onClick={() => void query.refetch()}>{m.retry}</Button>} />
      ) : (
        <Skeleton label={m.loading} />
      )}
    </section>
  )
}

function Concerns({ concerns }: { concerns: readonly Concern[] }) {
  const m = useMessages(messages)
  const list = useWalk()
  if (concerns.length === 0) return <Placeholder title={m.nothingWrong} hint={m.nothingWrongHint} />
  return (
    <ol ref={list} className="dashboard-concerns">
      {concerns.map((concern) => (
        <Row key={concern.key} concern={concern} />
      ))}
    </ol>
  )
}

function Row({ concern }: { concern: Concern }) {
  const m = useMessages(messages)
  const language = useLanguage()
  const Icon = toneIcon[concern.urgent ? 'bad' : 'warn']
  const since = concern.since ? new Date(concern.since) : undefined
  return (
    <li className="dashboard-concern" data-urgent={concern.urgent || undefined}>
      <Icon aria-label={concern.urgent ? m.urgent : m.notice} />
      <div>
        <strong title={concern.title}>{concern.title}</strong>
        <span>{concern.cause}</span>
      </div>
      {since && (
        <time dateTime={since.toISOString()} title={formatDateTime(since)}>
          {relativeTime(since, new Date(), language)}
        </time>
      )}
      <Link className="dashboard-act" to={concern.path}>
        {concern.act}
      </Link>
    </li>
  )
}
