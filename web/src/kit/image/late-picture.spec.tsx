import { act, render, screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { LatePicture } from './late-picture'

/** Tells the picture that it has come into view. */
let come: () => void = () => undefined
const given = vi.fn()
const returned = vi.fn()
beforeEach(() => {
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      constructor(tell: (entries: { isIntersecting: boolean }[]) => void) {
        come = () => act(() => tell([{ isIntersecting: true }]))
      }
      observe() {}
      disconnect() {}
    },
  )
  given.mockReset().mockReturnValueOnce('blob:1').mockReturnValueOnce('blob:2')
  returned.mockReset()
  Object.assign(URL, { createObjectURL: given, revokeObjectURL: returned })
})

const file = new Blob(['x'], { type: 'image/png' })

it('is fetched when it comes into view, and its address is given back', async () => {
  const load = vi.fn(async () => file)
  const { unmount } = render(<LatePicture load={load} name="CP-1" className="x" />)
  expect(load).not.toHaveBeenCalled()
  come()
  expect(await screen.findByAltText('CP-1')).toHaveAttribute('src', 'blob:1')
  expect(load).toHaveBeenCalledTimes(1)
  unmount()
  expect(returned).toHaveBeenCalledExactlyOnceWith('blob:1')
})

it('makes room for another', async () => {
  const { rerender } = render(<LatePicture load={async () => file} name="CP-1" className="x" />)
  come()
  await screen.findByAltText('CP-1')
  const next = async () => file
  rerender(<LatePicture load={next} name="CP-2" className="x" />)
  await waitFor(() => expect(screen.getByAltText('CP-2')).toHaveAttribute('src', 'blob:2'))
  expect(returned).toHaveBeenCalledExactlyOnceWith('blob:1')
})

it('that comes after it is gone, fails or is none, is nothing', async () => {
  let arrive = (_: Blob) => {}
  const slow = () =>
    new Promise<Blob>((resolve) => {
      arrive = resolve
    })
  const late = render(<LatePicture load={slow} name="CP-1" className="x" />)
  come()
  late.unmount()
  await act(async () => arrive(file))
  for (const load of [() => Promise.reject(new Error('refused')), async () => undefined]) {
    const { container, unmount } = render(<LatePicture load={load} name="CP-1" className="x" />)
    come()
    await act(async () => undefined)
    expect(container.querySelector('img')).toBeNull()
    unmount()
  }
  expect(given).not.toHaveBeenCalled()
})
