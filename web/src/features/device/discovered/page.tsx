import type { RowOf } from '@/api/call'
import { useApiMutation } from '@/api/query'
import { sorts } from '@/api/words/FindingView'
import { useMessages } from '@/i18n/messages'
import { action, danger } from '@/kit/action'
import { defineChoices } from '@/kit/choices'
import { columnsOf } from '@/kit/list/columns'
import { choiceParam, defineFilter, idParam, textParam } from '@/kit/list/filter'
import { ChoiceFilter, TextFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { ReferenceFilter } from '@/kit/reference/reference-filter'
import { findingKind } from '../choices'
import { cardPath, roomPath } from '../links'
import { PlaceFields } from '../place-fields'
import { rooms } from '../places'
import { messages } from './messages'

type Finding = RowOf<'findingList'>

const ignored = defineChoices({
  open: { value: false, label: ['待处理', 'Open'] },
  ignored: { value: true, label: ['已忽略', 'Ignored'] },
})

const filter = defineFilter(
  {
    keyWord: textParam(),
    roomId: idParam(),
    kind: choiceParam(findingKind),
    ignored: choiceParam(ignored),
  },
  sorts,
)

const c = columnsOf<Finding>()

const columns = [
  c.choice('kind', findingKind, { pin: 'start' }),
  c.code('serial', { importance: 3 }),
  c.custom('intranetIp', (row) => <span className="sky-mono">{`${row.intranetIp}:${row.adbPort}`}</span>, {
    importance: 3,
  }),
  c.reference('room', roomPath, { importance: 2 }),
  c.custom('proposal', (row) => <Proposal proposal={row.proposal} />, { importance: 3 }),
  c.text('manufacturer'),
  c.text('model'),
  c.code('board'),
  c.reference('card', cardPath, { isCode: true, importance: 2 }),
  c.time('foundAt', { importance: 1 }),
  c.time('seenAt'),
  c.text('ignoredBy', { spare: true }),
]

/** Where a new card probably is, and why. */
function Proposal({ proposal }: Pick<Finding, 'proposal'>) {
  const m = useMessages(messages)
  if (!proposal) return '—'
  const { frame, host, position, basis } = proposal
  return (
    <span title={basis === 'bmc' ? m.byBmc : m.byNeighbours}>
      {frame.name} / {host.name} / {position}
    </span>
  )
}

interface Place {
  frameId?: number
  hostId?: number
  position?: number
}

const placeOf = ({ proposal }: Finding) =>
  proposal ? { frameId: proposal.frame.id, hostId: proposal.host.id, position: proposal.position } : {}

/** Differences between the records and the rooms, each with its fix. */
export default function DiscoveredPage() {
  const m = useMessages(messages)
  const list = useList('findingList', filter)
  const refresh = ['findingList', 'cardList', 'cardCounts'] as const
  const fix = useApiMutation('findingFix', { refresh })
  const ignore = useApiMutation('findingIgnore', { refresh })

  const fixOf = (row: Finding) => {
    const kinds = findingKind.value
    const put = (place: Place = {}) => {
      const { hostId, position } = place
      const body = { ...(hostId === undefined ? {} : { hostId }), ...(position === undefined ? {} : { position }) }
      return fix.mutateAsync({ path: { id: row.id }, body })
    }
    const words: Record<number, readonly [label: string, question: string]> = {
      [kinds.new]: [m.accept, m.acceptQuestion],
      [kinds.missing]: [m.retire, m.retireQuestion],
      [kinds.moved]: [m.follow, m.followQuestion],
      [kinds.duplicateAddress]: [m.take, m.takeQuestion],
      [kinds.wrongModel]: [m.correct, m.correctQuestion],
      [kinds.ghost]: [m.revive, m.reviveQuestion],
    }
    const [label, confirm] = words[row.kind] ?? [m.accept, m.acceptQuestion]
    // What takes a card out of the records is shown as such.
    const make = row.kind === kinds.missing ? danger : action
    return make<Place | undefined>(label, {
      need: 'finding:fix',
      confirm: row.proposal ? m.acceptProposal : confirm,
      ...(row.kind === kinds.new && { ask: <PlaceFields room={row.roomId} />, values: placeOf(row) }),
      run: (place) => put(place),
    })
  }

  return (
    <ListPage
      messages={messages}
      list={list}
      columns={columns}
      exports={{ operation: 'findingExport', need: 'finding:export' }}
      nameOf={(row) => row.serial || row.intranetIp}
      filters={
        <>
          <TextFilter name="keyWord" placeholder={m.search} />
          <ReferenceFilter name="roomId" source={rooms} width={180} />
          <ChoiceFilter name="kind" choices={findingKind} />
          <ChoiceFilter name="ignored" choices={ignored} />
        </>
      }
      start={{ to: '/device/address?tab=agents', label: m.toAgents, need: 'roomAgent:list' }}
      rowActions={(row) => [
        fixOf(row),
        action(row.ignoredAt ? m.unignore : m.ignore, {
          need: 'finding:ignore',
          run: () => ignore.mutateAsync({ path: { id: row.id }, body: { ignored: !row.ignoredAt } }),
        }),
      ]}
    />
  )
}
