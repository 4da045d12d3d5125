import { type KeyboardEvent, type MouseEvent, type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { useLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import { choiceText } from '@/kit/choices'
import { runStatus } from '../choices'
import { byPlace, type CardCell, hostsOf, isTrouble, type PlaceNode, placeKey } from './cells'
import { FrameCanvas } from './frame-canvas'
import { HoverCard } from './hover-card'
import { type Cell, cellAt, cellsBetween, cellsIn, labelAt, layoutRacks, neighbour, type Point } from './layout'
import { messages } from './messages'
import { shareInUse, Trouble } from './trouble'
import { useResting } from './use-resting'
import { useWidth } from './use-width'

interface RacksProps {
  name: string
  nodes: readonly PlaceNode[]
  cards: readonly CardCell[]
  /** The status that was asked for; others are dimmed. */
  only: number | undefined
  zoom: number
  /** The frame to begin with. */
  begin: number | undefined
  selected: ReadonlySet<number>
  onSelect: (ids: ReadonlySet<number>) => void
  onOpen: (id: number) => void
  onFilter: (status: number) => void
}

/** The racks of a room as they stand: a picture a frame, however many cards; mouse, keyboard and reader reach each. */
export function Racks(props: RacksProps) {
  const m = useMessages(messages)
  const language = useLanguage()
  const { nodes, cards, only, zoom, selected, onSelect, onOpen } = props
  const scroller = useRef<HTMLDivElement>(null)
  const stage = useRef<HTMLDivElement>(null)
  const width = useWidth(scroller, 1000)
  const frames = useMemo(() => nodes.filter(({ kind }) => kind === 'frame'), [nodes])
  const hosts = useMemo(() => hostsOf(nodes), [nodes])
  const layout = useMemo(() => layoutRacks(frames, hosts, width, zoom), [frames, hosts, width, zoom])
  const places = useMemo(() => byPlace(cards), [cards])
  const cardOf = (cell: Cell | undefined) => cell && places.get(placeKey(cell.host, cell.position))
  const [focus, setFocus] = useState(() => layout.frames.find(({ id }) => id === props.begin)?.first ?? -1)
  const [anchor, setAnchor] = useState(focus)
  const [pointed, setPointed] = useState(-1)
  const [drag, setDrag] = useState<{ from: Point; to: Point }>()
  const rested = useResting(drag ? -1 : pointed >= 0 ? pointed : focus)

  useBeginning(scroller, layout.frames.find(({ id }) => id === props.begin)?.y)

  const idsOf = (cells: readonly (Cell | undefined)[]) => cells.flatMap((cell) => cardOf(cell)?.id ?? [])
  const select = (cells: readonly (Cell | undefined)[], adds: boolean) =>
    onSelect(new Set(adds ? [...selected, ...idsOf(cells)] : idsOf(cells)))
  const toggle = (cells: readonly (Cell | undefined)[]) => {
    const next = new Set(selected)
    for (const id of idsOf(cells)) next.has(id) ? next.delete(id) : next.add(id)
    onSelect(next)
  }

  const click = (event: MouseEvent, point: Point) => {
    const adds = event.ctrlKey || event.metaKey
    const label = labelAt(layout, point)
    if (label)
      return select(
        layout.cells.filter(({ host }) => host === label.host),
        adds,
      )
    const hit = cellAt(layout, point)
    const at = hit ? layout.cells.indexOf(hit) : -1
    if (hit && event.shiftKey && anchor >= 0) select(cellsBetween(layout, anchor, at), adds)
    else if (adds) toggle([hit])
    else select([hit], false)
    if (!hit) return
    setFocus(at)
    if (!event.shiftKey) setAnchor(at)
  }
  const letGo = (event: MouseEvent) => {
    if (!drag) return
    const to = pointOf(event)
    setDrag(undefined)
    if (Math.hypot(to.x - drag.from.x, to.y - drag.from.y) < 4) click(event, to)
    else select(cellsIn(layout, drag.from, to), event.ctrlKey || event.metaKey || event.shiftKey)
  }

  const walk = (event: KeyboardEvent) => {
    const next = neighbour(layout, focus, event.key)
    setFocus(next)
    setPointed(-1)
    if (event.shiftKey) select(cellsBetween(layout, anchor < 0 ? next : anchor, next), false)
    else setAnchor(next)
    const box = scroller.current
    const cell = layout.cells[next]
    if (!box || !cell) return
    if (cell.y < box.scrollTop) box.scrollTop = cell.y - 50
    else if (cell.y + cell.height > box.scrollTop + box.clientHeight) box.scrollTop = cell.y + 50 - box.clientHeight
  }
  const press = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.altKey) return
    const status = runStatus.list[Number(event.key) - 1]?.value
    const card = cardOf(layout.cells[focus])
    if (event.key.startsWith('Arrow')) walk(event)
    else if (event.key === ' ') toggle([layout.cells[focus]])
    else if (event.key === 'Enter' && card) onOpen(card.id)
    else if (event.key === 'Escape') onSelect(new Set())
    else if (status !== undefined && !event.ctrlKey && !event.metaKey) props.onFilter(status)
    else return
    event.preventDefault()
  }

  const hostName = (cell: Cell) => hosts.find(({ id }) => id === cell.host)?.name ?? ''
  const said = (cell: Cell | undefined) => {
    if (!cell) return ''
    const card = cardOf(cell)
    const frame = layout.frames.find(({ cells }) => cells.includes(cell))?.name ?? ''
    return m.cell(frame, hostName(cell), cell.position, card ? choiceText(runStatus, card.runStatus, language) : '—')
  }
  const shown = layout.cells[rested]
  const card = cardOf(shown)
  const top = stage.current?.getBoundingClientRect().top ?? 0
  return (
    <div ref={scroller} className="panel-racks">
      <div
        ref={stage}
        className="panel-canvas"
        role="application"
        aria-label={m.rack(props.name)}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a picture that is worked with by keyboard is an application
        tabIndex={0}
        style={{ height: layout.height }}
        onKeyDown={press}
        onMouseDown={(event) => {
          if (event.button === 0 && !isButton(event)) setDrag({ from: pointOf(event), to: pointOf(event) })
        }}
        onMouseMove={(event) => {
          const point = pointOf(event)
          const cell = cellAt(layout, point)
          setPointed(cell ? layout.cells.indexOf(cell) : -1)
          if (drag) setDrag({ from: drag.from, to: point })
        }}
        onMouseUp={letGo}
        onMouseLeave={() => {
          setDrag(undefined)
          setPointed(-1)
        }}
        onDoubleClick={(event) => {
          const found = isButton(event) ? undefined : cardOf(cellAt(layout, pointOf(event)))
          if (found) onOpen(found.id)
        }}
      >
        {layout.frames.map((box) => {
          const own = box.cells.map(cardOf)
          const node = frames.find(({ id }) => id === box.id)
          return (
            <section
              key={box.id}
              className="panel-frame"
              style={{ left: box.x, top: box.y, width: box.width, height: box.height }}
            >
              <header>
                <button
                  type="button"
                  title={m.selectFrame}
                  onClick={(event) => select(box.cells, event.ctrlKey || event.metaKey)}
                >
                  {box.name}
                </button>
                <span className="kit-gap" />
                {node && <Trouble counts={node.counts} most={2} />}
                {node && <span className="sky-soft">{m.share(shareInUse(node.counts))}</span>}
              </header>
              <FrameCanvas
                box={box}
                statuses={own.map((card) => card?.runStatus ?? ' ').join('')}
                marks={own.map((card) => (card && selected.has(card.id) ? 1 : 0)).join('')}
                focus={focus - box.first < own.length ? focus - box.first : -1}
                only={only}
                troubled={new Set(own.flatMap((card) => (card && isTrouble(card.runStatus) ? card.hostId : [])))}
              />
            </section>
          )
        })}
        {drag && <span className="panel-drag" style={rectOf(drag.from, drag.to)} />}
        {shown && card && (
          <HoverCard
            key={card.id}
            cell={shown}
            card={card}
            host={hostName(shown)}
            room={{ width, below: window.innerHeight - top }}
          />
        )}
      </div>
      <span className="visually-hidden" aria-live="polite">
        {said(layout.cells[focus])}
      </span>
    </div>
  )
}

/** Brings the frame with which the view begins into sight, once. */
function useBeginning(scroller: RefObject<HTMLDivElement | null>, y: number | undefined) {
  const begun = useRef(false)
  // Where the page is scrolled to, the browser knows.
  useEffect(() => {
    if (begun.current || y === undefined || !scroller.current) return
    begun.current = true
    scroller.current.scrollTop = y
  }, [scroller, y])
}

const isButton = ({ target }: MouseEvent) => target instanceof Element && target.closest('button') !== null

/** Where the pointer is on the racks, whichever part of them it is over. */
function pointOf(event: MouseEvent): Point {
  const { left, top } = event.currentTarget.getBoundingClientRect()
  return { x: event.clientX - left, y: event.clientY - top }
}

const rectOf = (from: Point, to: Point) => ({
  left: Math.min(from.x, to.x),
  top: Math.min(from.y, to.y),
  width: Math.abs(to.x - from.x),
  height: Math.abs(to.y - from.y),
})
