import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { usePreference } from '@/access/preferences'
import { useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { Loaded } from '@/kit/loaded'
import { grouped } from '@/rules/format'
import { Button } from '@/ui/button'
import { Placeholder } from '@/ui/placeholder'
import { useMedia } from '@/ui/use-media'
import { AgentTag } from './agent-tag'
import { Attention } from './attention'
import { CardAside } from './card-aside'
import { type CardCell, hostsOfAddress, type PlaceNode } from './cells'
import { Legend } from './legend'
import { messages } from './messages'
import { Racks } from './racks'
import { SelectionBar } from './selection-bar'
import { useOnly } from './use-only'
import { useOwnClicks } from './use-own-clicks'

const zooms = [0.6, 0.8, 1, 1.4]

/** A room: its racks, live; which statuses there are; what can be done with those that are selected; one in detail. */
export function RoomPanel({ room }: { room: PlaceNode }) {
  const tree = useApiQuery('fleetTree', { query: { roomId: room.id, whole: true } })
  const cells = useApiQuery('fleetCells', { query: { roomId: room.id } })
  return (
    <Loaded query={tree}>
      {(nodes) => <Loaded query={cells}>{(cards) => <Room room={room} nodes={nodes} cards={cards} />}</Loaded>}
    </Loaded>
  )
}

interface RoomProps {
  room: PlaceNode
  nodes: readonly PlaceNode[]
  cards: readonly CardCell[]
}

function Room({ room, nodes, cards }: RoomProps) {
  const m = useMessages(messages)
  const [search] = useSearchParams()
  const hosts = hostsOfAddress(search, nodes)
  const [only, choose] = useOnly()
  // What is not shown is not selected either.
  const [selected, setSelected] = useState<ReadonlySet<number>>(
    () =>
      new Set(
        cards
          .filter(({ hostId, runStatus }) => hosts.has(hostId ?? 0) && (only === undefined || runStatus === only))
          .map(({ id }) => id),
      ),
  )
  const [open, setOpen] = useState<number>()
  const [zoom, setZoom] = usePreference('devicePanel.zoom', 1)
  const isWide = useMedia('(min-width: 1360px)')
  const frames = nodes.filter(({ kind }) => kind === 'frame').length
  const step = (by: number) => zooms[zooms.indexOf(zoom) + by]
  const zoomTo = (to: number | undefined) => to !== undefined && setZoom(to)
  return (
    <div className="panel-room" {...useOwnClicks()}>
      <div className="panel-room-main">
        <header className="panel-head">
          <Link className="sky-link" to="/device/panel">
            {m.rooms}
          </Link>
          <span className="sky-soft">/</span>
          <h2>{room.name}</h2>
          <span className="sky-soft">{`${m.cards(grouped(room.counts.total))} · ${m.frames(frames)}`}</span>
          <AgentTag agents={room.agents ?? 0} />
          <span className="kit-gap" />
          <Button size="small" aria-label={m.zoomOut} disabled={!step(-1)} onClick={() => zoomTo(step(-1))}>
            −
          </Button>
          <span className="panel-zoom">{Math.round(zoom * 100)}%</span>
          <Button size="small" aria-label={m.zoomIn} disabled={!step(1)} onClick={() => zoomTo(step(1))}>
            +
          </Button>
        </header>
        <Legend
          count={(status) => cards.filter(({ runStatus }) => runStatus === status).length}
          only={only}
          onChoose={choose}
        />
        <SelectionBar cards={cards} selected={selected} onClear={() => setSelected(new Set())} />
        {cards.length === 0 ? (
          <Placeholder title={m.noCards} hint={m.noCardsHint} />
        ) : (
          <Racks
            name={room.name}
            nodes={nodes}
            cards={cards}
            only={only}
            zoom={zoom}
            begin={Number(search.get('frame')) || undefined}
            selected={selected}
            onSelect={setSelected}
            onOpen={setOpen}
            onFilter={choose}
          />
        )}
      </div>
      {open !== undefined && <CardAside id={open} isBeside={isWide} onClose={() => setOpen(undefined)} />}
      {open === undefined && isWide && <Attention nodes={nodes} cards={cards} onOpen={setOpen} />}
    </div>
  )
}
