import { useCan } from '@/access/permissions'
import type { DataOf, RowOf } from '@/api/call'
import { useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import type { Action } from '@/kit/action'
import { ChoiceLabel } from '@/kit/choices'
import { DetailDrawer } from '@/kit/detail/detail-drawer'
import { Facts } from '@/kit/detail/facts'
import { TimeText } from '@/kit/time-text'
import { grouped } from '@/rules/format'
import { DataTable } from '@/ui/data-table'
import { Placeholder } from '@/ui/placeholder'
import { openState } from '../choices'
import { CallsOfApp } from './calls-of-app'
import { Owner, PerDay, Scopes } from './figures'
import { keyMessages, messages } from './messages'
import { Webhook } from './webhook'

type App = DataOf<'openAppGet'>

interface DetailProps {
  id: number
  acts: (app: RowOf<'openAppList'>) => readonly Action[]
  onClose: () => void
}

/** One application: what it may do, its keys, where it is told what happens, and what it called. */
export default function AppDetail({ id, acts, onClose }: DetailProps) {
  const m = useMessages(messages)
  const can = useCan()
  const query = useApiQuery('openAppGet', { path: { id } })
  return (
    <DetailDrawer
      messages={messages}
      query={query}
      title={(app) => app.name}
      status={(app) => <ChoiceLabel choices={openState} value={app.enabled} />}
      name={(app) => app.name}
      logged={({ id }) => ({ kind: 'openApp', id })}
      actions={acts}
      tabs={(app) => [
        { key: 'overview', label: m.overview, content: <Overview app={app} /> },
        { key: 'keys', label: m.fields.keys, content: <Keys app={app} /> },
        { key: 'webhook', label: m.webhook, content: <Webhook app={app} /> },
        ...(can('openCall:list') ? [{ key: 'calls', label: m.calls, content: <CallsOfApp appId={app.id} /> }] : []),
      ]}
      onClose={onClose}
    />
  )
}

function Overview({ app }: { app: App }) {
  const m = useMessages(messages)
  return (
    <>
      <Facts
        wide={['ips', 'remark']}
        of={{
          owner: <Owner of={app} />,
          scopes: <Scopes of={app} />,
          perSecond: grouped(app.perSecond),
          perDay: <PerDay of={app} />,
          calls: grouped(app.calls),
          ips: app.ips ? <span className="sky-mono">{app.ips}</span> : m.anyAddress,
          remark: app.remark,
          createdAt: <TimeText at={app.createdAt} />,
          updatedAt: <TimeText at={app.updatedAt} />,
        }}
      />
      <p>
        <a className="sky-link" href="/open/docs" target="_blank" rel="noreferrer">
          {m.guide}
        </a>
      </p>
    </>
  )
}

function Keys({ app }: { app: App }) {
  const m = useMessages(messages)
  const { fields } = useMessages(keyMessages)
  return (
    <DataTable
      label={m.fields.keys}
      rows={app.keys}
      rowKey={({ id }) => String(id)}
      empty={<Placeholder title={m.noKeys} />}
      columns={[
        { key: 'code', title: fields.code, render: ({ code }) => <span className="sky-mono">{code}</span> },
        { key: 'createdAt', title: fields.createdAt, render: ({ createdAt }) => <TimeText at={createdAt} /> },
        { key: 'createdBy', title: fields.createdBy, render: ({ createdBy }) => createdBy },
        {
          key: 'lastUsedAt',
          title: fields.lastUsedAt,
          render: ({ lastUsedAt }) => <TimeText at={lastUsedAt ?? null} />,
        },
      ]}
    />
  )
}
