import { beforeEach, expect, it, vi } from 'vitest'
import { dragToOrder } from './order-drag'

// jsdom neither drags nor has a layout: what is asked here is what the library is told and what is made of its answers.
const library = vi.hoisted(() => ({ draggable: vi.fn(), dropTargetForElements: vi.fn() }))
vi.mock('@atlaskit/pragmatic-drag-and-drop/element/adapter', () => library)

const onMove = vi.fn()
const stop = vi.fn()
const item = document.createElement('li')
item.getBoundingClientRect = () => new DOMRect(0, 100, 200, 40)

beforeEach(() => {
  onMove.mockReset()
  stop.mockReset()
  library.draggable.mockReset().mockReturnValue(stop)
  library.dropTargetForElements.mockReset().mockReturnValue(stop)
})

/** The entry at a place of a list of its own, as a target. */
function target(at: number, axis: 'x' | 'y' = 'y') {
  const undo = dragToOrder({ item, handle: item, list: 'a', at: () => at, axis, onMove })
  type Heard = Record<'canDrop' | 'onDrag' | 'onDragLeave' | 'onDrop', (event: unknown) => unknown>
  const heard = library.dropTargetForElements.mock.lastCall as unknown as [Heard]
  const { canDrop, onDrag, onDragLeave, onDrop } = heard[0]
  const event = (from: number, clientX: number, clientY: number, list = 'a') => ({
    source: { element: document.createElement('li'), data: { list, at: from } },
    location: { current: { input: { clientX, clientY } } },
  })
  return { undo, canDrop, onDrag, onDragLeave, onDrop, event }
}

it.each([
  // From above: dropped on the upper half it goes before, and what was below it has moved up.
  [0, 2, 105, 1],
  [0, 2, 135, 2],
  // From below nothing has moved up.
  [4, 2, 105, 2],
  [4, 2, 135, 3],
])('from %i onto %i at height %i comes to %i', (from, at, y, to) => {
  const { onDrop, event } = target(at)
  onDrop(event(from, 0, y))
  expect(onMove).toHaveBeenCalledExactlyOnceWith(from, to)
})

it('does nothing when it comes back to its own place', () => {
  const { onDrop, event } = target(2)
  onDrop(event(1, 0, 105))
  onDrop(event(3, 0, 135))
  expect(onMove).not.toHaveBeenCalled()
})

it('looks sideways in a row', () => {
  const { onDrop, event } = target(2, 'x')
  onDrop(event(0, 190, 0))
  expect(onMove).toHaveBeenCalledWith(0, 2)
})

it('marks where it would go, takes only its own list, and can be undone', () => {
  const { undo, canDrop, onDrag, onDragLeave, event } = target(2)
  expect(canDrop(event(0, 0, 105))).toBe(true)
  expect(canDrop(event(0, 0, 105, 'b'))).toBe(false)
  onDrag(event(0, 0, 105))
  expect(item.dataset.drop).toBe('before')
  onDrag(event(0, 0, 135))
  expect(item.dataset.drop).toBe('after')
  onDragLeave(event(0, 0, 135))
  expect(item.dataset.drop).toBeUndefined()
  undo()
  expect(stop).toHaveBeenCalledTimes(2)
})
