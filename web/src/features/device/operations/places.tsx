import { useMemo, useState } from 'react'
import { useMessages } from '@/i18n/messages'
import { OneOf } from '@/kit/one-of'
import { grouped } from '@/rules/format'
import { Placeholder } from '@/ui/placeholder'
import { useWidth } from '@/ui/use-width'
import type { Places } from './clusters'
import { FrameCanvas } from './frame-canvas'
import { messages } from './messages'
import { columnsOf, type HostRow, type Hot, rowsOf, sizes } from './places-paint'
import type { Shown } from './shown'

type Frame = Places['frames'][number]

interface PlacesProps {
  places: Places
  shown: Shown
  hot: Hot | undefined
  onHot: (hot: Hot | undefined) => void
}

/** The space between frames. */
const gap = 24

/** The tasks as their cards stand in the racks: a row a host, a cell a card. */
export function TaskPlaces(props: PlacesProps) {
  const m = useMessages(messages)
  const [failuresFirst, setFailuresFirst] = useState(false)
  const [box, width = 0] = useWidth<HTMLDivElement>()
  const { places } = props
  const frames = useMemo(
    () => places.frames.map((frame) => ({ frame, rows: rowsOf(frame.hosts, places.codes) })),
    [places],
  )
  const sorted = failuresFirst ? frames.toSorted((a, b) => b.frame.counts.failed - a.frame.counts.failed) : frames
  const widest = Math.max(1, ...frames.flatMap(({ rows }) => rows.map(columnsOf)))
  const edges = sizes.label + sizes.count
  // A frame or two may be larger; more stand beside each other.
  const beside = Math.min(frames.length, 2)
  const room = (Math.max(280, width) - gap) / Math.max(1, beside) - edges
  const largest = frames.length > 2 ? sizes.cell : sizes.cell * 1.6
  const cell = Math.max(4, Math.floor(Math.min(largest, room / widest - sizes.gap)))
  const frameWidth = edges + widest * (cell + sizes.gap)
  const isOneRoom = new Set(places.frames.map(({ roomId }) => roomId)).size === 1
  return (
    <>
      <div className="operation-card-tools">
        <span className="sky-soft">{m.placesHint}</span>
        <OneOf
          label={m.order}
          value={failuresFirst}
          choices={[
            { value: false, label: m.byPlace },
            { value: true, label: m.failuresFirst },
          ]}
          onChange={setFailuresFirst}
        />
      </div>
      <div
        ref={box}
        className="operation-frames"
        style={{ gap, gridTemplateColumns: `repeat(auto-fill, ${frameWidth}px)` }}
      >
        {places.frames.length === 0 && <Placeholder title={m.noPlaces} />}
        {sorted.map(({ frame, rows }) => (
          <FrameOf
            key={`${frame.roomId} ${frame.id}`}
            frame={frame}
            rows={failuresFirst ? rows.toSorted((a, b) => b.failed - a.failed) : rows}
            room={isOneRoom ? undefined : frame.room}
            width={frameWidth}
            cell={cell}
            {...props}
          />
        ))}
      </div>
    </>
  )
}

interface FrameProps extends PlacesProps {
  frame: Frame
  rows: readonly HostRow[]
  room: string | undefined
  width: number
  cell: number
}

function FrameOf({ frame, rows, room, width, cell, shown, hot, onHot }: FrameProps) {
  const m = useMessages(messages)
  const { pending, running, failed, succeeded, other } = frame.counts
  const done = succeeded + failed + other
  const total = done + pending + running
  const name = frame.id ? frame.name : m.noPosition
  const percent = Math.floor((done / total) * 100)
  return (
    <section aria-label={m.frameSaid(name, grouped(done), grouped(total), grouped(failed))}>
      <header className="operation-frame-head">
        <strong>{name}</strong>
        {room && <span className="sky-soft">{room}</span>}
        <span className="sky-soft">
          {grouped(done)} / {grouped(total)}
        </span>
        {failed > 0 && <strong className="operation-frame-bad">× {grouped(failed)}</strong>}
        <span className="operation-frame-end" data-done={done === total || undefined}>
          {done === total ? `✓ ${m.frameDone}` : `${percent}%`}
        </span>
      </header>
      {rows.length > 0 ? (
        <FrameCanvas rows={rows} width={width} cell={cell} shown={shown} hot={hot} onHot={onHot} />
      ) : (
        <span className="operation-bar operation-bar-wide">
          <span className="operation-good" style={{ width: `${(succeeded / total) * 100}%` }} />
          <span className="operation-bad" style={{ width: `${(failed / total) * 100}%` }} />
          <span className="operation-other" style={{ width: `${(other / total) * 100}%` }} />
        </span>
      )}
    </section>
  )
}
