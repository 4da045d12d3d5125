import type { DataOf } from '@/api/call'
import { useApiQuery } from '@/api/query'
import { words as axisWords } from '@/api/words/Axis'
import { words as cardWords } from '@/api/words/CardView'
import { defineMessages, useMessages } from '@/i18n/messages'
import type { Action } from '@/kit/action'
import { ChoiceLabel } from '@/kit/choices'
import { DetailDrawer } from '@/kit/detail/detail-drawer'
import { Facts } from '@/kit/detail/facts'
import { TimeText } from '@/kit/time-text'
import { DataTable, freeText } from '@/ui/data-table'
import { Placeholder } from '@/ui/placeholder'
import { maintenance, networkStatus, runStatus } from '../choices'
import { CardLink } from '../links'
import { usePlaceActs } from '../place-acts'
import { hostMessages } from './messages'

type Host = DataOf<'hostGet'>

const messages = defineMessages({
  about: ['资料', 'Details'],
  cards: ['卡位', 'Positions'],
  history: ['卡位历史', 'History'],
  position: cardWords.position,
  card: ['安卓卡', 'Card'],
  run: cardWords.runStatus,
  network: cardWords.networkStatus,
  since: ['自', 'Since'],
  until: ['至', 'Until'],
  by: ['操作员', 'Operator'],
  reason: ['原因', 'Reason'],
  still: ['至今', 'Now'],
  power: ['整机操作', 'All cards'],
  maintenance: axisWords.maintenance.label,
  nothing: ['没有安卓卡', 'No card'],
})

/** A host: the cards in its positions now, and those before. */
export default function HostDetail({ id, onClose }: { id: number; onClose: () => void }) {
  const m = useMessages(messages)
  const query = useApiQuery('hostGet', { path: { id } })
  const acts = usePlaceActs()
  return (
    <DetailDrawer
      messages={hostMessages}
      query={query}
      title={(host) => host.name}
      status={(host) => <ChoiceLabel choices={maintenance} value={host.maintenance.state} />}
      name={(host) => host.name}
      actions={(host) => {
        const { operations, maintenance, panel } = acts({ ...host, kind: 'host' })
        const grouped = (group: string, of: readonly Action[]) => of.map((act) => ({ ...act, group }))
        return [...grouped(m.power, operations), ...grouped(m.maintenance, maintenance), panel]
      }}
      logged={({ id }) => ({ kind: 'host', id })}
      tabs={(host) => [
        { key: 'cards', label: m.cards, content: <Cards host={host} /> },
        { key: 'history', label: m.history, content: <History host={host} /> },
        { key: 'about', label: m.about, content: <About host={host} /> },
      ]}
      onClose={onClose}
    />
  )
}

function About({ host }: { host: Host }) {
  return (
    <Facts
      wide={['remark']}
      of={{
        slot: host.slot,
        positions: host.positions,
        bladeAddress: <span className="sky-mono">{host.bladeAddress ?? '—'}</span>,
        updatedAt: <TimeText at={host.updatedAt} />,
        remark: host.remark,
      }}
    />
  )
}

function Cards({ host }: { host: Host }) {
  const m = useMessages(messages)
  return (
    <DataTable
      label={m.cards}
      rows={host.cards}
      rowKey={(card) => String(card.id)}
      empty={<Placeholder title={m.nothing} />}
      columns={[
        { key: 'position', title: m.position, align: 'end', render: (card) => card.position },
        {
          key: 'card',
          title: m.card,
          render: (card) => <CardLink id={card.id} name={`${card.intranetIp}:${card.adbPort}`} />,
        },
        {
          key: 'run',
          title: m.run,
          render: (card) => <ChoiceLabel choices={runStatus} value={card.runStatus} />,
        },
        {
          key: 'network',
          title: m.network,
          render: (card) => <ChoiceLabel choices={networkStatus} value={card.networkStatus} />,
        },
      ]}
    />
  )
}

function History({ host }: { host: Host }) {
  const m = useMessages(messages)
  return (
    <DataTable
      label={m.history}
      rows={host.history}
      rowKey={(stay) => `${stay.card.id}-${stay.since}`}
      empty={<Placeholder title={m.nothing} />}
      columns={[
        { key: 'position', title: m.position, align: 'end', render: (stay) => stay.position },
        {
          key: 'card',
          title: m.card,
          render: ({ card }) => <CardLink id={card.id} name={card.name ?? `#${card.id}`} />,
        },
        { key: 'since', title: m.since, render: (stay) => <TimeText at={stay.since} /> },
        {
          key: 'until',
          title: m.until,
          render: (stay) => (stay.until ? <TimeText at={stay.until} /> : m.still),
        },
        { key: 'by', title: m.by, render: (stay) => stay.by },
        { key: 'reason', title: m.reason, ...freeText, render: ({ reason }) => <span title={reason}>{reason}</span> },
      ]}
    />
  )
}
