import './sessions.css'
import type { DataOf } from '@/api/call'
import type { Code } from '@/api/codes'
import { useLanguage } from '@/i18n/language'
import { inLanguage, useMessages } from '@/i18n/messages'
import { danger } from '@/kit/action'
import { RowActions } from '@/kit/action-buttons'
import { ChoiceLabel } from '@/kit/choices'
import { DeviceText } from '@/kit/device-text'
import { Loaded, type Loading } from '@/kit/loaded'
import { kitMessages } from '@/kit/messages'
import { TimeText } from '@/kit/time-text'
import { useActions } from '@/kit/use-actions'
import { deviceNames } from '@/rules/browser'
import { DataTable, type TableColumn } from '@/ui/data-table'
import { Placeholder } from '@/ui/placeholder'
import { StatusTag } from '@/ui/status-tag'
import { signInMethod } from '../choices'
import { messages } from './messages'

type Session = DataOf<'ownSessionList'>[number]

interface SessionTableProps {
  query: Loading<Session[]>
  /** The code that ending one takes; none for one's own. */
  need?: Code
  onEnd: (sessionId: number) => Promise<unknown>
}

/** The active sessions, and ending one of them. */
export function SessionTable({ query, need, onEnd }: SessionTableProps) {
  const m = useMessages(messages)
  const k = useMessages(kitMessages)
  const runner = useActions()
  const language = useLanguage()
  const { fields } = m
  // Two lines each, so that all of it stands in a drawer.
  const columns: TableColumn<Session>[] = [
    {
      key: 'device',
      title: fields.device,
      render: ({ device, current, bound, ip, method }) => (
        <span className="session-lines">
          <span>
            <DeviceText name={device} /> {current && <StatusTag tone="good">{m.current}</StatusTag>}
            {!bound && (
              <span title={m.unboundHint}>
                <StatusTag tone="muted">{m.unbound}</StatusTag>
              </span>
            )}
          </span>
          <span className="sky-soft">
            <span className="sky-mono">{ip}</span> · <ChoiceLabel choices={signInMethod} value={method} />
          </span>
        </span>
      ),
    },
    { key: 'seenAt', title: fields.seenAt, render: ({ seenAt }) => <TimeText at={seenAt} /> },
    {
      key: 'signedInAt',
      title: `${fields.signedInAt} / ${fields.expiresAt}`,
      render: ({ signedInAt, expiresAt }) => (
        <span className="session-lines">
          <TimeText at={signedInAt} />
          <span className="sky-soft">
            <TimeText at={expiresAt} />
          </span>
        </span>
      ),
    },
    {
      key: 'acts',
      title: k.acts,
      pin: 'end',
      render: ({ id, ip, device, current }) => (
        <RowActions
          name={`${inLanguage(deviceNames(device), language)} ${ip}`}
          runner={runner}
          acts={[
            danger(m.end, {
              need,
              blocked: current ? m.endCurrent : undefined,
              confirm: m.endQuestion,
              run: () => onEnd(id),
            }),
          ]}
        />
      ),
    },
  ]
  return (
    <div className="kit-inner">
      <Loaded query={query}>
        {(sessions) => (
          <DataTable
            label={m.sessions}
            columns={columns}
            rows={sessions}
            rowKey={(session) => String(session.id)}
            empty={<Placeholder title={m.noSessions} />}
          />
        )}
      </Loaded>
      {runner.host}
    </div>
  )
}
