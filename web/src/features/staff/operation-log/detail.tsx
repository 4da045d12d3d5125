import type { DataOf } from '@/api/call'
import { useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { DetailDrawer, type DetailTab } from '@/kit/detail/detail-drawer'
import { Facts } from '@/kit/detail/facts'
import { Outcome } from '@/kit/detail/history'
import { TimeText } from '@/kit/time-text'
import { formatDateTime } from '@/rules/format'
import { messages } from './messages'
import { ShellRecord, shellOf } from './shell-record'

type Line = DataOf<'operationLogGet'>

/** One line of the log, with what the object was before and after. */
export default function OperationLogDetail({ id, onClose }: { id: number; onClose: () => void }) {
  const m = useMessages(messages)
  const query = useApiQuery('operationLogGet', { path: { id } })
  return (
    <DetailDrawer
      messages={messages}
      query={query}
      title={(line) => line.actionName}
      name={(line) => line.actionName}
      tabs={(line) => [
        { key: 'what', label: m.what, content: <What line={line} /> },
        { key: 'changes', label: m.changes, content: <Changes of={line.changes} /> },
        ...typedIn(line, m.typed),
      ]}
      onClose={onClose}
    />
  )
}

function typedIn(line: Line, label: string): DetailTab[] {
  const shell = shellOf(line.action, line.after)
  return shell === undefined ? [] : [{ key: 'typed', label, content: <ShellRecord id={shell} /> }]
}

function What({ line }: { line: Line }) {
  return (
    <Facts
      wide={['reason', 'message', 'requestId', 'hash']}
      of={{
        at: <TimeText at={line.at} />,
        operatorName: line.operatorName,
        ip: <span className="sky-mono">{line.ip}</span>,
        statusName: <Outcome {...line} />,
        objectKindName: line.objectKindName,
        objectName: line.objectName,
        objectId: <span className="sky-mono">{line.objectId}</span>,
        reason: line.reason,
        message: line.message === line.reason ? '' : line.message,
        requestId: <span className="sky-mono">{line.requestId}</span>,
        hash: <span className="sky-mono">{line.hash}</span>,
      }}
    />
  )
}

/** Field by field: what it was and what it became. What changed comes first, what stayed is folded away. */
function Changes({ of }: { of: Line['changes'] }) {
  const m = useMessages(messages)
  if (of.length === 0) return <p>{m.noChanges}</p>
  const [changed, same] = [of.filter(({ differs }) => differs), of.filter(({ differs }) => !differs)]
  return (
    <>
      {changed.length > 0 ? <Fields of={changed} /> : <p>{m.noChanges}</p>}
      {same.length > 0 && (
        <details className="sky-unchanged">
          <summary>{m.unchanged(same.length)}</summary>
          <Fields of={same} />
        </details>
      )}
    </>
  )
}

function Fields({ of }: { of: Line['changes'] }) {
  const m = useMessages(messages)
  const hasObjects = of.some(({ object }) => object !== '')
  return (
    <table className="sky-changes">
      <thead>
        <tr>
          {hasObjects && <th scope="col">{m.object}</th>}
          <th scope="col">{m.field}</th>
          <th scope="col">{m.before}</th>
          <th scope="col">{m.after}</th>
        </tr>
      </thead>
      <tbody>
        {of.map(({ object, field, label, before, after, differs }, row) => (
          // Two objects of an act may have the same name.
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of an entry never change
          <tr key={`${row} ${field}`}>
            {hasObjects && <td>{object}</td>}
            <th scope="row">{label}</th>
            <td>{differs && before !== '' ? <del>{inTime(before)}</del> : inTime(before) || m.none}</td>
            <td>{differs && after !== '' ? <ins>{inTime(after)}</ins> : inTime(after) || m.none}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** A moment as every other moment of the console; anything else as it is. */
const inTime = (value: string) =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value) ? formatDateTime(new Date(value)) : value
