import { type KeyboardEvent, type MouseEvent, useEffect, useMemo, useRef, useState } from 'react'
import type { DataOf } from '@/api/call'
import { useLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import { choiceText } from '@/kit/choices'
import { runStatus } from '../choices'
import { type Cell, cellAt, cellsIn, layoutRacks, neighbour, type RackFrame, type RackHost } from './layout'
import { messages } from './messages'
import { paint } from './paint'

export type CardCell = DataOf<'fleetCells'>[number]

interface RackCanvasProps {
  name: string
  frames: readonly RackFrame[]
  hosts: readonly RackHost[]
  cards: readonly CardCell[]
  /** The status that was asked for; others are dimmed. */
  status: number | undefined
  selected: ReadonlySet<number>
  onSelect: (ids: ReadonlySet<number>) => void
  onOpen: (id: number) => void
}

const keyOf = (host: number, position: number) => `${host}.${position}`

/** The racks of a room as they stand. One picture, however many cards; mouse, keyboard and screen reader all reach each. */
export function RackCanvas(props: RackCanvasProps) {
  const m = useMessages(messages)
  const language = useLanguage()
  const { frames, hosts, cards, status, selected, onSelect } = props
  const place = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const [width, setWidth] = useState(1000)
  const [focus, setFocus] = useState(-1)
  const [drag, setDrag] = useState<{ from: { x: number; y: number }; to: { x: number; y: number } }>()
  const layout = useMemo(() => layoutRacks(frames, hosts, width), [frames, hosts, width])
  const byPlace = useMemo(() => new Map(cards.map((card) => [keyOf(card.hostId, card.position), card])), [cards])
  const cardOf = (cell: Cell | undefined) => cell && byPlace.get(keyOf(cell.host, cell.position))

  // How wide the page is, the browser knows.
  useEffect(() => {
    const element = place.current
    if (!element) return
    const watcher = new ResizeObserver(([entry]) => entry && setWidth(Math.floor(entry.contentRect.width)))
    watcher.observe(element)
    return () => watcher.disconnect()
  }, [])

  // The picture is outside React: it is drawn anew when anything of it has changed.
  useEffect(() => {
    const element = canvas.current
    const context = element?.getContext('2d')
    if (!element || !context) return
    const ratio = window.devicePixelRatio || 1
    element.width = width * ratio
    element.height = Math.max(1, layout.height) * ratio
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    const style = getComputedStyle(element)
    paint(context, {
      layout,
      focus,
      drag: drag && {
        x: drag.from.x,
        y: drag.from.y,
        width: drag.to.x - drag.from.x,
        height: drag.to.y - drag.from.y,
      },
      text: style.color,
      line: style.borderTopColor,
      shown: (cell) => {
        const card = byPlace.get(keyOf(cell.host, cell.position))
        return (
          card && {
            status: card.runStatus,
            isSelected: selected.has(card.id),
            isDim: status !== undefined && card.runStatus !== status,
          }
        )
      },
    })
  }, [layout, byPlace, selected, status, focus, drag, width])

  const at = ({ nativeEvent }: MouseEvent) => ({ x: nativeEvent.offsetX, y: nativeEvent.offsetY })
  const idsOf = (cells: readonly Cell[]) => cells.flatMap((cell) => cardOf(cell)?.id ?? [])
  const toggled = (ids: readonly number[]) => {
    const next = new Set(selected)
    for (const id of ids) next.has(id) ? next.delete(id) : next.add(id)
    return next
  }

  const letGo = (event: MouseEvent) => {
    if (!drag) return
    const to = at(event)
    const isClick = Math.hypot(to.x - drag.from.x, to.y - drag.from.y) < 4
    const hit = isClick
      ? [cellAt(layout, to.x, to.y)].filter((cell) => cell !== undefined)
      : cellsIn(layout, drag.from, to)
    const ids = idsOf(hit)
    const adds = event.ctrlKey || event.metaKey || event.shiftKey
    onSelect(isClick && adds ? toggled(ids) : new Set(adds ? [...selected, ...ids] : ids))
    if (isClick && hit[0]) setFocus(layout.cells.indexOf(hit[0]))
    setDrag(undefined)
  }

  const press = (event: KeyboardEvent) => {
    if (event.key.startsWith('Arrow')) setFocus(neighbour(layout, focus, event.key))
    else if (event.key === ' ') onSelect(toggled(idsOf([layout.cells[focus]].filter((cell) => cell !== undefined))))
    else if (event.key === 'Enter') {
      const card = cardOf(layout.cells[focus])
      if (card) props.onOpen(card.id)
    } else if (event.key === 'Escape') onSelect(new Set())
    else return
    event.preventDefault()
  }

  const here = layout.cells[focus]
  const frameName = new Map(hosts.map((host) => [host.id, frames.find(({ id }) => id === host.frame)?.name ?? '']))
  const hostName = new Map(hosts.map((host) => [host.id, host.name]))
  const card = cardOf(here)
  const said = here
    ? m.cell(
        frameName.get(here.host) ?? '',
        hostName.get(here.host) ?? '',
        here.position,
        card ? choiceText(runStatus, card.runStatus, language) : '—',
      )
    : ''
  return (
    <div ref={place} className="panel-racks">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a canvas that is worked with by keyboard is an application */}
      <div className="panel-canvas" role="application" aria-label={m.rack(props.name)} tabIndex={0} onKeyDown={press}>
        <canvas
          ref={canvas}
          style={{ width, height: layout.height }}
          onMouseDown={(event) => setDrag({ from: at(event), to: at(event) })}
          onMouseMove={(event) => drag && setDrag({ from: drag.from, to: at(event) })}
          onMouseUp={letGo}
          onMouseLeave={() => setDrag(undefined)}
          onDoubleClick={(event) => {
            const { x, y } = at(event)
            const found = cardOf(cellAt(layout, x, y))
            if (found) props.onOpen(found.id)
          }}
        />
      </div>
      <p className="sky-soft panel-said" aria-live="polite">
        {said || m.help}
      </p>
    </div>
  )
}
