import type { RowOf } from '@/api/call'
import { useApiMutation } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { action } from '@/kit/action'
import { defineChoices } from '@/kit/choices'
import { columnsOf } from '@/kit/list/columns'
import { choiceParam, defineFilter, idParam, textParam } from '@/kit/list/filter'
import { ChoiceFilter, TextFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { findingKind } from '../choices'
import { CardLink } from '../links'
import { PlaceFields } from '../place-fields'
import { useRooms } from '../places'
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
  ['kind', 'serial', 'intranetIp', 'foundAt', 'seenAt'],
)

const c = columnsOf<Finding>()

interface Place {
  hostId?: number
  position?: number
}

/** Where the books and the rooms differ, each with what puts it right. */
export default function DiscoveredPage() {
  const m = useMessages(messages)
  const list = useList('findingList', filter)
  const rooms = useRooms()
  const refresh = ['findingList', 'cardList', 'cardCounts'] as const
  const fix = useApiMutation('findingFix', { refresh })
  const ignore = useApiMutation('findingIgnore', { refresh })

  const columns = [
    c.choice('kind', findingKind, { width: 130, pin: 'start' }),
    c.code('serial', { width: 170 }),
    c.custom('intranetIp', (row) => <span className="sky-mono">{`${row.intranetIp}:${row.adbPort}`}</span>, {
      width: 170,
    }),
    c.custom('roomId', (row) => rooms.name(row.roomId), { width: 170 }),
    c.text('manufacturer', { width: 100 }),
    c.text('model', { width: 110 }),
    c.text('board', { width: 110 }),
    c.custom('cardId', ({ cardId }) => (cardId ? <CardLink id={cardId} name={`#${cardId}`} /> : '—'), { width: 100 }),
    c.time('foundAt'),
    c.time('seenAt'),
    c.text('ignoredBy', { spare: true }),
  ]

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
    return action<Place | undefined>(label, {
      need: 'finding:fix',
      confirm,
      ...(row.kind === kinds.new && { ask: <PlaceFields room={row.roomId} /> }),
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
          <ChoiceFilter name="roomId" choices={rooms.choices} width={180} />
          <ChoiceFilter name="kind" choices={findingKind} />
          <ChoiceFilter name="ignored" choices={ignored} />
        </>
      }
      actionsWidth={190}
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
