import { memo, useEffect, useRef } from 'react'
import { useTheme } from '@/access/theme'
import { blockGap } from './mini'
import { inkOf, lookOf, paintBlock, prepared } from './paint'

interface MiniCanvasProps {
  /** A line a host, a letter a position: its status, or a blank. */
  rows: string
  block: { width: number; height: number }
  only: number | undefined
}

/** The blocks of a frame. Its arguments are a text and numbers: what does not change is not drawn again. */
export const MiniCanvas = memo(function MiniCanvas({ rows, block: { width, height }, only }: MiniCanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const theme = useTheme()
  const lines = rows === '' ? 0 : rows.split('\n').length
  const longest = Math.max(0, ...rows.split('\n').map((line) => line.length))
  const size = {
    width: Math.max(1, longest * (width + blockGap) - blockGap),
    height: Math.max(1, lines * (height + blockGap) - blockGap),
  }
  // The picture is outside React. The theme changes no argument of it, but every colour.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme is read out of the style sheet
  useEffect(() => {
    const context = canvas.current && prepared(canvas.current, size.width, size.height)
    if (!canvas.current || !context) return
    const ink = inkOf(canvas.current)
    rows.split('\n').forEach((line, row) => {
      for (const [at, status] of [...line].entries()) {
        const rect = { x: at * (width + blockGap), y: row * (height + blockGap), width, height }
        context.globalAlpha = status === ' ' || only === undefined || only === Number(status) ? 1 : 0.18
        if (status !== ' ') paintBlock(context, ink, lookOf(Number(status)), rect)
        else {
          context.fillStyle = ink('sky-muted-tint')
          context.fillRect(rect.x, rect.y, width, height)
        }
      }
    })
  }, [rows, width, height, only, theme, size.width, size.height])
  return <canvas ref={canvas} style={size} aria-hidden />
}, isSame)

function isSame(one: MiniCanvasProps, other: MiniCanvasProps): boolean {
  return (
    one.rows === other.rows &&
    one.only === other.only &&
    one.block.width === other.block.width &&
    one.block.height === other.block.height
  )
}
