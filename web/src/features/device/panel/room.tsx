import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import type { DataOf } from '@/api/call'
import { useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { ActionButtons } from '@/kit/action-buttons'
import { useOptions } from '@/kit/choices'
import { Loaded } from '@/kit/loaded'
import { useActions } from '@/kit/use-actions'
import { grouped } from '@/rules/format'
import { Button } from '@/ui/button'
import { Placeholder } from '@/ui/placeholder'
import { runStatus } from '../choices'
import { useLiveCards } from '../live'
import { useOperationActs } from '../operations/acts'
import { messages } from './messages'
import { looks } from './paint'
import { type CardCell, RackCanvas } from './rack-canvas'

type Tree = DataOf<'fleetTree'>

/** A room: its racks, live; which statuses there are; and what can be done with those that are selected. */
export function RoomPanel({ id, name }: { id: number; name: string }) {
  const tree = useApiQuery('fleetTree', { query: { roomId: id, whole: true } })
  const cells = useApiQuery('fleetCells', { query: { roomId: id } })
  const client = useQueryClient()
  useLiveCards(['fleetTree'], (deltas) => {
    const found = new Map(deltas.map((delta) => [delta.id, delta]))
    client.setQueriesData<CardCell[]>({ queryKey: ['fleetCells'] }, (cards) =>
      cards?.some((card) => found.has(card.id))
        ? cards.map((card) => {
            const delta = found.get(card.id)
            if (!delta) return card
            const { runStatus, networkStatus, isAssignable, isOvercommit } = delta
            return { ...card, runStatus, networkStatus, isAssignable, isOvercommit }
          })
        : cards,
    )
  })
  return (
    <Loaded query={tree}>
      {(nodes) => <Loaded query={cells}>{(cards) => <Racks name={name} nodes={nodes} cards={cards} />}</Loaded>}
    </Loaded>
  )
}

function Racks({ name, nodes, cards }: { name: string; nodes: Tree; cards: readonly CardCell[] }) {
  const m = useMessages(messages)
  const navigate = useNavigate()
  const [search, setSearch] = useSearchParams()
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set())
  const status = runStatus.find(Number(search.get('status')))?.value
  const operate = useOperationActs()
  const runner = useActions()
  const frames = useMemo(() => nodes.filter(({ kind }) => kind === 'frame'), [nodes])
  const hosts = useMemo(
    () =>
      nodes.flatMap(({ kind, id, parentId, place, size, name }) =>
        kind === 'host' && parentId
          ? [{ id, frame: parentId, slot: Number(place) || 0, name, positions: size ?? 0 }]
          : [],
      ),
    [nodes],
  )
  if (cards.length === 0) return <Placeholder title={m.noCards} hint={m.noCardsHint} />
  const selection = { ids: [...selected] }
  const choose = (value: number) =>
    setSearch(
      (now) => {
        const next = new URLSearchParams(now)
        status === value ? next.delete('status') : next.set('status', String(value))
        return next
      },
      { replace: true },
    )
  return (
    <>
      <Legend cards={cards} status={status} onChoose={choose} />
      {selected.size > 0 && (
        <section className="kit-selection" aria-live="polite">
          <strong>{m.selected(grouped(selected.size))}</strong>
          <button type="button" className="sky-link" onClick={() => setSelected(new Set())}>
            {m.clear}
          </button>
          <span className="kit-gap" />
          <ActionButtons
            acts={operate(selection)}
            runner={runner}
            target={m.selected(grouped(selected.size))}
            size="small"
          />
          {selected.size === 1 && (
            <Button size="small" onClick={() => navigate(`/device/management?detail=${selection.ids[0]}`)}>
              {m.open}
            </Button>
          )}
        </section>
      )}
      <RackCanvas
        name={name}
        frames={frames}
        hosts={hosts}
        cards={cards}
        status={status}
        selected={selected}
        onSelect={setSelected}
        onOpen={(id) => navigate(`/device/management?detail=${id}`)}
      />
      {runner.host}
    </>
  )
}

/** Which statuses there are, how many of each; a press shows one of them alone. */
function Legend(props: { cards: readonly CardCell[]; status: number | undefined; onChoose: (status: number) => void }) {
  const counts = new Map<number, number>()
  for (const { runStatus } of props.cards) counts.set(runStatus, (counts.get(runStatus) ?? 0) + 1)
  return (
    <div className="panel-legend">
      {useOptions(runStatus).map(({ value, label }) => (
        <Button
          key={value}
          size="small"
          type={props.status === value ? 'primary' : 'default'}
          aria-pressed={props.status === value}
          onClick={() => props.onChoose(Number(value))}
        >
          <span className="panel-swatch" style={{ background: looks[Number(value)]?.colour ?? '' }} aria-hidden>
            {looks[Number(value)]?.sign}
          </span>
          {label} {grouped(counts.get(Number(value)) ?? 0)}
        </Button>
      ))}
    </div>
  )
}
