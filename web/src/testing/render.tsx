import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { configure, render } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import type { ReactNode } from 'react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { afterAll, afterEach, beforeAll, vi } from 'vitest'
import { updateSession } from '@/access/session'
import { UiProvider } from '@/ui/provider'

// What jsdom lacks and the UI library asks for. A window that never changes its size answers no query.
window.matchMedia ??= (media) =>
  Object.assign(new EventTarget(), { media, matches: false, onchange: null }) as MediaQueryList
window.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
}

Blob.prototype.stream ??= function stream(this: Blob) {
  const bytes = this.arrayBuffer()
  return new ReadableStream({
    start: async (controller) => {
      controller.enqueue(new Uint8Array(await bytes))
      controller.close()
    },
  })
}

// Two cores are shared with everything that runs beside the tests; and whether something is hidden or may be clicked
// costs jsdom a walk through all style sheets at each question.
configure({ asyncUtilTimeout: 15_000, defaultHidden: true })
vi.setConfig({ testTimeout: 60_000 })

/** A server for one test file. A call that no test expects fails. */
export function fakeServer() {
  // No test here is about events: their stream is refused, and what follows tasks asks instead.
  const server = setupServer(http.get('*/api/:domain/v1/events', () => new HttpResponse(null, { status: 404 })))
  beforeAll(() => server.listen({ onUnhandledRequest: 'error' }))
  afterEach(() => server.resetHandlers())
  afterAll(() => server.close())
  return server
}

/** A good answer in its envelope. */
export const good = (data: unknown) => HttpResponse.json({ status: 0, msg: '', data, success: true })

/** A refusal in its envelope. */
export const refused = (httpStatus: number, status: number, msg: string, errors: unknown[] = []) =>
  HttpResponse.json({ status, msg, data: null, success: false, errors }, { status: httpStatus })

/** Shows something at an address, to somebody with these rights, and hands over the keyboard and mouse. */
export function show(element: ReactNode, { at = '/', rights = ['admin'] }: { at?: string; rights?: string[] } = {}) {
  updateSession({ uid: crypto.randomUUID(), token: 'token', roles: rights })
  const router = createMemoryRouter([{ path: '*', element }], { initialEntries: [at] })
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  render(
    <QueryClientProvider client={client}>
      <UiProvider language="zh">
        <RouterProvider router={router} />
      </UiProvider>
    </QueryClientProvider>,
  )
  return { router, user: userEvent.setup({ pointerEventsCheck: 0 }) }
}
