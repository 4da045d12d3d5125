import dayjs from 'dayjs'
import { useState } from 'react'
import type { ClientError } from '@/access/error-log'
import { useMessages } from '@/i18n/messages'
import { Placeholder } from '@/ui/placeholder'
import { messages } from '../log-messages'

/** One row: an error of this browser. */
export interface LoggedError extends ClientError {
  key: string
}

/** The errors, newest first, each with its stack on demand. */
export function ErrorTable({ rows }: { rows: readonly LoggedError[] }) {
  const m = useMessages(messages)
  if (rows.length === 0) return <Placeholder title={m.empty} hint={m.emptyHint} />
  return (
    <table className="check-table">
      <thead>
        <tr>
          <th scope="col">{m.fields.createTime}</th>
          <th scope="col">{m.fields.message}</th>
          <th scope="col">{m.fields.component}</th>
          <th scope="col">{m.fields.address}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Row key={row.key} row={row} />
        ))}
      </tbody>
    </table>
  )
}

function Row({ row }: { row: LoggedError }) {
  const m = useMessages(messages)
  const [open, setOpen] = useState(false)
  return (
    <tr>
      <td className="error-time">{dayjs(row.time).format('YYYY-MM-DD HH:mm:ss')}</td>
      <td className="error-message">
        {row.message}
        {row.stack !== '' && (
          <div>
            <button type="button" className="sky-link" aria-expanded={open} onClick={() => setOpen(!open)}>
              {open ? m.hideStack : m.showStack}
            </button>
          </div>
        )}
        {open && <pre className="error-stack">{row.stack}</pre>}
      </td>
      <td className="sky-mono">{row.component || '-'}</td>
      <td className="error-address">{row.address}</td>
    </tr>
  )
}
