import '@/kit/kit.css'
import './map.css'
import { useQuery } from '@tanstack/react-query'
import type { FeatureCollection } from 'geojson'
import { type PointerEvent, useEffect, useMemo, useRef, useState } from 'react'
import { Link } from 'react-router'
import { usePreference } from '@/access/preferences'
import { useScreenTitle } from '@/access/titles'
import type { DataOf } from '@/api/call'
import { notifyError } from '@/api/notices'
import { useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { Loaded } from '@/kit/loaded'
import { grouped } from '@/rules/format'
import { Button } from '@/ui/button'
import { StatusTag } from '@/ui/status-tag'
import { useLiveCards } from '../live'
import { NoRooms } from '../no-rooms'
import { graticule, pathOf, project, type Side, sidesOf, type View, viewOf, world, zoomed } from './geo'
import { levelOf, toneOf } from './level'
import { RoomMark } from './mark'
import { messages } from './messages'
import { parseMap, readMap } from './own-map'

type Point = DataOf<'fleetMap'>[number]
type Placed = Point & { latitude: number; longitude: number }

const isPlaced = (point: Point): point is Placed =>
  typeof point.latitude === 'number' && typeof point.longitude === 'number'

const nameOf = (point: Point) => `${point.name} ${grouped(point.counts.total)}`

/** About how wide a text is, in letters of Chinese. */
const widthOf = (text: string) => [...text].reduce((sum, c) => sum + ((c.codePointAt(0) ?? 0) < 0x2e80 ? 0.6 : 1), 0)

const anchorOf = (side: Side, size: number) =>
  (
    ({
      above: { y: -size * 1.7, textAnchor: 'middle' },
      below: { y: size * 2.9, textAnchor: 'middle' },
      right: { x: size * 1.6, y: size * 0.5, textAnchor: 'start' },
      left: { x: -size * 1.6, y: size * 0.5, textAnchor: 'end' },
    }) as const
  )[side]

/** The rooms on a map that is drawn here: coastlines that ship with the product, and no tiles of anybody. */
export default function MapPage() {
  const title = useScreenTitle()
  const query = useApiQuery('fleetMap', {})
  useLiveCards(['fleetMap'])
  return (
    <section className="device-map" aria-label={title}>
      <Loaded query={query}>{(points) => (points.length === 0 ? <NoRooms /> : <Atlas points={points} />)}</Loaded>
    </section>
  )
}

function Atlas({ points }: { points: readonly Point[] }) {
  const m = useMessages(messages)
  const placed = points.filter(isPlaced)
  const [view, setView] = useState<View>(() => viewOf(placed))
  // A map of the operator's own; it is kept in this browser only.
  const [kept, keep] = usePreference<string>('deviceMap.own', '')
  const own = useMemo(() => readMap(kept), [kept])
  const file = useRef<HTMLInputElement>(null)
  const load = async (chosen: File | undefined) => {
    if (!chosen) return
    const text = await chosen.text()
    try {
      parseMap(text)
      keep(text)
    } catch {
      notifyError(m.badFile)
    }
  }
  return (
    <>
      <div className="kit-bar">
        <div className="kit-filters sky-soft">{m.loadHint}</div>
        <div className="kit-tools">
          <Button onClick={() => setView(zoomed(view, 0.6))}>{m.zoomIn}</Button>
          <Button onClick={() => setView(zoomed(view, 1 / 0.6))}>{m.zoomOut}</Button>
          <Button onClick={() => setView(viewOf(placed))}>{m.fit}</Button>
          <Button onClick={() => setView(world)}>{m.world}</Button>
          <input
            ref={file}
            type="file"
            accept=".json,.geojson"
            hidden
            onChange={(event) => void load(event.target.files?.[0])}
          />
          {own ? (
            <Button onClick={() => keep('')}>{m.unload}</Button>
          ) : (
            <Button onClick={() => file.current?.click()}>{m.load}</Button>
          )}
        </div>
      </div>
      <div className="device-map-parts">
        <Picture points={placed} view={view} onView={setView} own={own} />
        <RoomList points={points} />
      </div>
    </>
  )
}

interface PictureProps {
  points: readonly Placed[]
  view: View
  onView: (view: View) => void
  own: FeatureCollection | undefined
}

function Picture({ points, view, onView, own }: PictureProps) {
  const m = useMessages(messages)
  const picture = useRef<SVGSVGElement>(null)
  const coast = useQuery({
    queryKey: ['coast'],
    queryFn: async () => (await import('./coast')).default,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const newest = useRef({ view, onView })
  newest.current = { view, onView }
  const drag = useRef<{ x: number; y: number; view: View }>(undefined)

  const degrees = (pixels: number) => (pixels * newest.current.view.width) / (picture.current?.clientWidth || 1)

  // React listens to the wheel passively; a map has to keep the page from scrolling.
  useEffect(() => {
    const element = picture.current
    if (!element) return
    const turn = (event: WheelEvent) => {
      event.preventDefault()
      const box = element.getBoundingClientRect()
      const { view, onView } = newest.current
      const at = {
        x: view.x + ((event.clientX - box.left) * view.width) / box.width,
        // The picture may be higher than the view; they share their middle.
        y: view.y + view.height / 2 + ((event.clientY - box.top - box.height / 2) * view.width) / box.width,
      }
      onView(zoomed(view, event.deltaY > 0 ? 1.25 : 0.8, at))
    }
    element.addEventListener('wheel', turn, { passive: false })
    return () => element.removeEventListener('wheel', turn)
  }, [])

  const move = (event: PointerEvent) => {
    const from = drag.current
    if (!from) return
    onView({
      ...from.view,
      x: from.view.x - degrees(event.clientX - from.x),
      y: from.view.y - degrees(event.clientY - from.y),
    })
  }
  const size = view.width / 62
  const letter = size * 1.05
  const marks = points.map((point) => {
    const [x, y] = project(point.longitude, point.latitude)
    return { x, y, name: nameOf(point), width: widthOf(nameOf(point)) * letter }
  })
  const sides = sidesOf(marks, size)
  const lines = graticule(view.width)
  return (
    <svg
      ref={picture}
      className="device-map-picture"
      viewBox={`${view.x} ${view.y} ${view.width} ${view.height}`}
      role="img"
      aria-label={m.picture}
      onPointerDown={(event) => {
        drag.current = { x: event.clientX, y: event.clientY, view }
      }}
      onPointerMove={move}
      onPointerUp={() => {
        drag.current = undefined
      }}
      onPointerLeave={() => {
        drag.current = undefined
      }}
    >
      {/* Twice, so that the date line is no edge. */}
      {[0, 360, -360].map((shift) => (
        <g key={shift} transform={`translate(${shift})`}>
          <path className="device-map-land" d={coast.data ?? ''} />
          <path className="device-map-lines" d={lines} />
          {own && <path className="device-map-own" d={pathOf(own)} />}
        </g>
      ))}
      {points.map((point, at) => {
        const { x, y, name } = marks[at] as (typeof marks)[number]
        const side = sides[at]
        return (
          <g key={point.roomId} transform={`translate(${x} ${y})`} className="device-map-room">
            <title>{`${point.name}: ${m[levelOf(point)]}`}</title>
            <RoomMark point={point} size={size} />
            {side && (
              <text fontSize={letter} {...anchorOf(side, size)}>
                {name}
              </text>
            )}
          </g>
        )
      })}
    </svg>
  )
}

/** The same as a list: for keyboards, for screen readers, and for rooms that stand nowhere yet. */
function RoomList({ points }: { points: readonly Point[] }) {
  const m = useMessages(messages)
  return (
    <ul className="device-map-list">
      {points.map((point) => (
        <li key={point.roomId}>
          <Link className="sky-link" to={`/device/panel?room=${point.roomId}`}>
            {point.name}
          </Link>
          <span className="sky-soft">{point.city}</span>
          <StatusTag tone={toneOf[levelOf(point)]}>{m[levelOf(point)]}</StatusTag>
          <span>
            {m.cards(grouped(point.counts.total))} · {m.online(grouped(point.counts.online))}
            {point.counts.fault > 0 && ` · ${m.fault(grouped(point.counts.fault))}`}
            {point.counts.offline > 0 && ` · ${m.offline(grouped(point.counts.offline))}`}
          </span>
          <span className="sky-soft">
            {[point.agents > 0 && m.agents(point.agents), !isPlaced(point) && m.noPlace].filter(Boolean).join(' · ')}
          </span>
        </li>
      ))}
    </ul>
  )
}
