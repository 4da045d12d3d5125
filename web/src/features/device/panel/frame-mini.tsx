import { memo } from 'react'
import { Link } from 'react-router'
import { useLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import { choiceText } from '@/kit/choices'
import { grouped } from '@/rules/format'
import { Popover } from '@/ui/popover'
import { StateChip } from '@/ui/state-chip'
import { stateLooks } from '@/ui/states'
import { runStatus } from '../choices'
import { statusKeys } from '../counts'
import { roomPath } from '../links'
import { type CardCell, type PlaceNode, placeKey } from './cells'
import type { RackHost } from './layout'
import { messages } from './messages'
import { MiniCanvas } from './mini-canvas'
import { lookOf } from './paint'
import { shareInUse, Trouble } from './trouble'

interface FrameMiniProps {
  room: number
  frame: PlaceNode
  /** A line a host, a letter a position: its status, or a blank. */
  rows: string
  block: { width: number; height: number }
  only: number | undefined
  isHot: boolean
}

/** The statuses of a frame as a text: two that are equal are the same picture. */
export const rowsOf = (hosts: readonly RackHost[], places: ReadonlyMap<string, CardCell>): string =>
  hosts
    .map(({ id, positions }) =>
      Array.from({ length: positions }, (_, at) => places.get(placeKey(id, at + 1))?.runStatus ?? ' ').join(''),
    )
    .join('\n')

/**
 * A frame as a small picture, with what is wrong in it; it leads to the frame in its room. Of hundreds, only the one
 * that has changed is made anew.
 */
export const FrameMini = memo(function FrameMini({ room, frame, rows, block, only, isHot }: FrameMiniProps) {
  return (
    <Popover content={<Statuses frame={frame} />} mouseEnterDelay={0.25} placement="rightTop">
      <Link className="panel-mini" data-hot={isHot || undefined} to={`${roomPath(room)}&frame=${frame.id}`}>
        <span className="panel-mini-head">
          <strong>{frame.name}</strong>
          <span className="sky-soft">{shareInUse(frame.counts)}%</span>
        </span>
        <span className="panel-mini-box">
          {block.width > 0 ? <MiniCanvas rows={rows} block={block} only={only} /> : <Bar frame={frame} />}
        </span>
        <Trouble counts={frame.counts} most={block.width > 6 ? 2 : 1} />
      </Link>
    </Popover>
  )
}, isSame)

/** Whether two frames look the same. A frame whose counts have not changed is the same object (see TanStack Query). */
function isSame(one: FrameMiniProps, other: FrameMiniProps): boolean {
  return (
    one.room === other.room &&
    one.frame === other.frame &&
    one.rows === other.rows &&
    one.block.width === other.block.width &&
    one.block.height === other.block.height &&
    one.only === other.only &&
    one.isHot === other.isHot
  )
}

/** How the cards of a frame are, as the shares of a bar. */
function Bar({ frame }: { frame: PlaceNode }) {
  return (
    <span className="panel-bar">
      {runStatus.list.map(({ value }) => (
        <span
          key={value}
          style={{
            flexGrow: frame.counts[statusKeys[value]],
            background: `var(--st-${stateLooks[lookOf(value)].token})`,
          }}
        />
      ))}
    </span>
  )
}

/** How many cards of a frame are in which state. */
function Statuses({ frame }: { frame: PlaceNode }) {
  const m = useMessages(messages)
  const language = useLanguage()
  return (
    <div className="panel-tip">
      <strong>{frame.name}</strong>
      {frame.place && <span className="sky-soft">{frame.place}</span>}
      {runStatus.list
        .map(({ value }) => ({ value, count: frame.counts[statusKeys[value]] }))
        .filter(({ count }) => count > 0)
        .map(({ value, count }) => (
          <span key={value} className="panel-tip-row">
            <StateChip state={lookOf(value)} />
            {choiceText(runStatus, value, language)}
            <strong>{grouped(count)}</strong>
          </span>
        ))}
      <span className="sky-soft panel-hover-foot">{m.frameHint}</span>
    </div>
  )
}
