import './storage.css'
import type { DataOf, RowOf } from '@/api/call'
import { useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import type { Action } from '@/kit/action'
import { LineChart } from '@/kit/chart/chart'
import { ChoiceLabel } from '@/kit/choices'
import { DetailDrawer } from '@/kit/detail/detail-drawer'
import { Facts } from '@/kit/detail/facts'
import { Loaded } from '@/kit/loaded'
import { ReferenceText } from '@/kit/reference/reference-text'
import { TimeText } from '@/kit/time-text'
import { byteSize, grouped } from '@/rules/format'
import { Callout } from '@/ui/callout'
import { DataTable } from '@/ui/data-table'
import { Placeholder } from '@/ui/placeholder'
import { StatusTag } from '@/ui/status-tag'
import { roomPath } from '../../device/links'
import { backupStrategy, storeDriver, storeState } from '../choices'
import { inGb, inMbit } from './capacity'
import { DaysToFull, Used } from './figures'
import { agentMessages, messages } from './messages'

type Node = DataOf<'storeNodeGet'>

interface DetailProps {
  id: number
  acts: (node: RowOf<'storeNodeList'>) => readonly Action[]
  onClose: () => void
}

/** One storage node: what it is, what each of its agents finds there, and how full it was. */
export default function NodeDetail({ id, acts, onClose }: DetailProps) {
  const m = useMessages(messages)
  const query = useApiQuery('storeNodeGet', { path: { id } })
  return (
    <DetailDrawer
      messages={messages}
      query={query}
      title={(node) => node.name}
      status={(node) => <ChoiceLabel choices={storeState} value={node.state} />}
      name={(node) => node.name}
      logged={({ id }) => ({ kind: 'storeNode', id })}
      actions={acts}
      head={(node) =>
        node.trouble && (
          <div className="store-trouble">
            <Callout tone="bad" title={node.trouble} />
          </div>
        )
      }
      tabs={(node) => [
        { key: 'overview', label: m.overview, content: <Overview node={node} /> },
        { key: 'agents', label: m.agents, content: <Agents node={node} /> },
        { key: 'usage', label: m.usage, content: <Usage node={node} /> },
      ]}
      onClose={onClose}
    />
  )
}

function Overview({ node }: { node: Node }) {
  const m = useMessages(messages)
  const isSmaller = node.limitBytes < node.capacityBytes
  return (
    <Facts
      wide={['place', 'usedBytes', 'snapshots']}
      of={{
        id: node.id,
        city: node.city,
        driver: <ChoiceLabel choices={storeDriver} value={node.driver} />,
        partitions: m.partitionsMade(node.made, node.partitions),
        place: <span className="sky-mono">{node.place}</span>,
        usedBytes: <Used of={node} />,
        capacityBytes: (
          <>
            {byteSize(node.capacityBytes)}
            {isSmaller && (
              <>
                {' '}
                <StatusTag tone="warn">{m.smaller(byteSize(node.limitBytes))}</StatusTag>
              </>
            )}
          </>
        ),
        freeBytes: typeof node.freeBytes === 'number' && byteSize(node.freeBytes),
        daysToFull: <DaysToFull of={node} />,
        strategy: <ChoiceLabel choices={backupStrategy} value={node.strategy} />,
        cycle: node.cycle,
        snapshots: node.snapshots ? m.keepsSnapshots : m.keepsNone,
        downloadMbit: node.downloadMbit ?? m.lineRate,
        uploadMbit: node.uploadMbit ?? m.lineRate,
        measuredAt: <TimeText at={node.measuredAt ?? null} />,
        checkedAt: <TimeText at={node.checkedAt ?? null} />,
        ...(node.sealedBefore > 0 && { sealedBefore: grouped(node.sealedBefore) }),
        latitude: node.latitude,
        longitude: node.longitude,
        createdAt: <TimeText at={node.createdAt} />,
        updatedAt: <TimeText at={node.updatedAt} />,
      }}
    />
  )
}

function Agents({ node }: { node: Node }) {
  const m = useMessages(messages)
  const { fields } = useMessages(agentMessages)
  return (
    <DataTable
      label={m.agents}
      rows={node.agents}
      rowKey={({ agent }) => String(agent.id)}
      empty={<Placeholder title={m.noAgents} />}
      columns={[
        { key: 'agent', title: fields.agent, render: (one) => <Agent of={one} /> },
        {
          key: 'room',
          title: fields.room,
          render: ({ room }) => <ReferenceText of={room} to={roomPath(room.id)} />,
        },
        {
          key: 'result',
          title: fields.result,
          render: (one) => (
            <>
              <Result of={one} />
              <div className="sky-soft">
                <TimeText at={one.checkedAt ?? null} />
              </div>
            </>
          ),
        },
        { key: 'rates', title: fields.rates, render: (one) => <Rates of={one} /> },
      ]}
    />
  )
}

function Agent({ of: { agent, connected } }: { of: Node['agents'][number] }) {
  const m = useMessages(messages)
  return (
    <>
      {agent.name} <StatusTag tone={connected ? 'good' : 'bad'}>{connected ? m.connected : m.gone}</StatusTag>
    </>
  )
}

/** How fast an agent may transfer just now: its share of the limits of the node and of its room. */
function Rates({ of }: { of: Node['agents'][number] }) {
  const m = useMessages(messages)
  if (!of.connected) return <span className="sky-soft">—</span>
  const rate = (kbit?: number | null) => (typeof kbit === 'number' ? m.mbit(inMbit(kbit)) : m.lineRate)
  return (
    <>
      <div>{m.down(rate(of.downloadKbit))}</div>
      <div>{m.up(rate(of.uploadKbit))}</div>
    </>
  )
}

function Result({ of }: { of: Node['agents'][number] }) {
  const m = useMessages(messages)
  if (of.code)
    return (
      <>
        <StatusTag tone="bad">{of.reason}</StatusTag>
        {of.detail && <div className="sky-soft sky-mono">{of.detail}</div>}
      </>
    )
  if (!of.checkedAt) return <span className="sky-soft">{m.never}</span>
  return (
    <>
      <StatusTag tone="good">{m.reached}</StatusTag> <span className="sky-soft">{m.took(of.millis)}</span>
    </>
  )
}

function Usage({ node }: { node: Node }) {
  const m = useMessages(messages)
  const query = useApiQuery('storeNodeUsage', { path: { id: node.id } })
  const limit = inGb(node.limitBytes)
  return (
    <Loaded query={query}>
      {(days) =>
        days.length === 0 ? (
          <Placeholder title={m.noUsage} />
        ) : (
          <LineChart
            label={m.usage}
            ticks={days.map(({ at }) => at.slice(5, 10))}
            series={[{ name: m.usedGb, values: days.map(({ usedBytes }) => inGb(usedBytes)) }]}
            limits={[{ value: limit, name: m.limitName(grouped(limit)) }]}
          />
        )
      }
    </Loaded>
  )
}
