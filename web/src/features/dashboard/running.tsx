import { Link } from 'react-router'
import type { RowOf } from '@/api/call'
import { useApiQuery } from '@/api/query'
import { useEvents } from '@/api/use-events'
import { useRefreshSoon } from '@/api/use-refresh-soon'
import { words as kinds } from '@/api/words/OperationKind'
import { words as states } from '@/api/words/OperationState'
import { useLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import { choiceText, defineChoices } from '@/kit/choices'
import { Loaded } from '@/kit/loaded'
import { grouped } from '@/rules/format'
import { Placeholder } from '@/ui/placeholder'
import { operationPath } from '../device/links'
import { messages } from './messages'

type Operation = RowOf<'operationList'>

const kind = defineChoices(kinds)
/** So many fit; the rest are on their page. */
const most = 5
/** The shortest time between two refreshes, in milliseconds. */
const pause = 1_000

/** The operations that are running, the newest first, with their progress as it goes. */
export function Running() {
  const m = useMessages(messages)
  const query = useApiQuery(
    'operationList',
    { query: { state: states.running.value, pageSize: most } },
    { keepPrevious: true, refetchInterval: 60_000 },
  )
  const refresh = useRefreshSoon(['operationList'], pause)
  useEvents('operation', refresh, refresh)
  return (
    <Loaded query={query}>
      {({ list }) =>
        list.length === 0 ? (
          <Placeholder title={m.noneRunning} />
        ) : (
          <ul className="dashboard-running">
            {list.map((operation) => (
              <Row key={operation.id} operation={operation} />
            ))}
          </ul>
        )
      }
    </Loaded>
  )
}

function Row({ operation }: { operation: Operation }) {
  const m = useMessages(messages)
  const language = useLanguage()
  const { id, total, pending, running, succeeded, failed } = operation
  const ended = total - pending - running
  const name = `${choiceText(kind, operation.kind, language)} #${id}`
  const share = (part: number) => `${total === 0 ? 0 : (part / total) * 100}%`
  return (
    <li>
      <div>
        <Link to={operationPath(id)}>{name}</Link>
        <span title={operation.detail}>{operation.detail}</span>
        <span>{`${grouped(ended)} / ${grouped(total)}`}</span>
      </div>
      <div
        className="dashboard-progress"
        role="progressbar"
        aria-label={name}
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={ended}
      >
        <span style={{ width: share(succeeded), background: 'var(--sky-good)' }} />
        <span style={{ width: share(failed), background: 'var(--sky-bad)' }} />
        <span style={{ width: share(ended - succeeded - failed), background: 'var(--sky-text-soft)' }} />
      </div>
      <div>
        {failed > 0 && <span data-bad>{m.failed(grouped(failed))}</span>}
        <span>{m.left(grouped(pending + running))}</span>
      </div>
    </li>
  )
}
