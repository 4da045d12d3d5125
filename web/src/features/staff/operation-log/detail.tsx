import type { DataOf } from '@/api/call'
import { useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { DetailDrawer } from '@/kit/detail/detail-drawer'
import { Facts } from '@/kit/detail/facts'
import { TimeText } from '@/kit/time-text'
import { changesOf } from './changes'
import { messages } from './messages'

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
        { key: 'changes', label: m.changes, content: <Changes before={line.before} after={line.after} /> },
      ]}
      onClose={onClose}
    />
  )
}

function What({ line }: { line: Line }) {
  return (
    <Facts
      wide={['message', 'requestId', 'hash']}
      of={{
        at: <TimeText at={line.at} />,
        operatorName: line.operatorName,
        ip: <span className="sky-mono">{line.ip}</span>,
        status: line.status,
        objectKindName: line.objectKindName,
        objectName: line.objectName,
        objectId: <span className="sky-mono">{line.objectId}</span>,
        message: line.message,
        requestId: <span className="sky-mono">{line.requestId}</span>,
        hash: <span className="sky-mono">{line.hash}</span>,
      }}
    />
  )
}

/** Field by field: what it was and what it became. What changed is marked. */
function Changes({ before, after }: { before: unknown; after: unknown }) {
  const m = useMessages(messages)
  const changes = changesOf(before, after)
  if (changes.length === 0) return <p>{m.noChanges}</p>
  return (
    <table className="sky-changes">
      <thead>
        <tr>
          <th scope="col">{m.field}</th>
          <th scope="col">{m.before}</th>
          <th scope="col">{m.after}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ field, was, is, differs }) => (
          <tr key={field}>
            <th scope="row" className="sky-mono">
              {field}
            </th>
            <td>{differs ? <del>{was}</del> : was}</td>
            <td>{differs ? <ins>{is}</ins> : is}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
