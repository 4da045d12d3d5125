import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine'
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'

interface Dragged {
  /** What is dragged and dropped on, and the part of it that is taken hold of. */
  item: HTMLElement
  handle: HTMLElement
  /** Only entries of the same list change places. */
  list: string
  at: () => number
  axis: 'x' | 'y'
  onMove: (from: number, to: number) => void
}

/** Makes an entry of a list draggable to another place in it. Gives what undoes that. */
export function dragToOrder({ item, handle, list, at, axis, onMove }: Dragged): () => void {
  const isBehind = (input: { clientX: number; clientY: number }) => {
    const { left, top, width, height } = item.getBoundingClientRect()
    return axis === 'x' ? input.clientX > left + width / 2 : input.clientY > top + height / 2
  }
  const mark = (where: 'before' | 'after' | undefined) => {
    if (where) item.dataset.drop = where
    else delete item.dataset.drop
  }
  return combine(
    draggable({
      element: item,
      dragHandle: handle,
      getInitialData: () => ({ list, at: at() }),
      onDragStart: () => {
        item.dataset.dragged = ''
      },
      onDrop: () => {
        delete item.dataset.dragged
      },
    }),
    dropTargetForElements({
      element: item,
      canDrop: ({ source }) => source.data.list === list,
      onDrag: ({ source, location }) => {
        if (source.element === item) return
        mark(isBehind(location.current.input) ? 'after' : 'before')
      },
      onDragLeave: () => mark(undefined),
      onDrop: ({ source, location }) => {
        mark(undefined)
        const from = Number(source.data.at)
        const gap = at() + (isBehind(location.current.input) ? 1 : 0)
        // Taken out of its old place, everything behind it moves up by one.
        const to = gap > from ? gap - 1 : gap
        if (to !== from) onMove(from, to)
      },
    }),
  )
}
