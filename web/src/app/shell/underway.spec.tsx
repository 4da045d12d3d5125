import { act, render, screen } from '@testing-library/react'
import { createMemoryRouter, Outlet, RouterProvider } from 'react-router'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Underway } from './underway'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('tells who sees no page coming that it does, and is silent about one that is quick', async () => {
  let arrive = () => {}
  const isThere = new Promise<null>((resolve) => {
    arrive = () => resolve(null)
  })
  const frame = (
    <>
      <Underway />
      <Outlet />
    </>
  )
  const children = [
    { path: '/', element: 'here' },
    { path: '/slow', element: 'there', loader: () => isThere },
  ]
  const router = createMemoryRouter([{ element: frame, children }])
  render(<RouterProvider router={router} />)
  const status = screen.getByRole('status')
  await act(async () => void router.navigate('/slow'))
  expect(document.querySelector('.shell-underway')).not.toBeNull()
  await act(() => vi.advanceTimersByTimeAsync(900))
  expect(status).toBeEmptyDOMElement()
  await act(() => vi.advanceTimersByTimeAsync(200))
  expect(status).toHaveTextContent('页面加载中')
  await act(async () => arrive())
  expect(screen.getByText('there')).toBeVisible()
  expect(status).toBeEmptyDOMElement()
})
