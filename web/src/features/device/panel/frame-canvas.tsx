import { memo, useEffect, useRef } from 'react'
import { useTheme } from '@/access/theme'
import { heading } from './layout'
import { type FramePicture, inkOf, paintFrame, prepared } from './paint'

/** One frame as a picture. It is drawn anew only when something of it has changed. */
export const FrameCanvas = memo(function FrameCanvas(picture: FramePicture) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const theme = useTheme()
  const { box } = picture
  const [width, height] = [box.width - 2, box.height - heading]
  // The picture is outside React. The theme changes no argument of it, but every colour.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme is read out of the style sheet
  useEffect(() => {
    const context = canvas.current && prepared(canvas.current, width, height)
    if (canvas.current && context) paintFrame(context, inkOf(canvas.current), picture)
  }, [picture, theme, width, height])
  return <canvas ref={canvas} style={{ width, height }} aria-hidden />
}, isSame)

/** Whether two pictures of a frame look alike. */
function isSame(one: FramePicture, other: FramePicture): boolean {
  return (
    one.box === other.box &&
    one.statuses === other.statuses &&
    one.marks === other.marks &&
    one.focus === other.focus &&
    one.only === other.only
  )
}
