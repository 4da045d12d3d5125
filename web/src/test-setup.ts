import '@testing-library/jest-dom/vitest'
import { cleanup, configure } from '@testing-library/react'
import { afterEach } from 'vitest'
import { ownStyle } from '@/testing/computed-style'

/*
 * Whether an element can be seen is asked of every ancestor's computed style, which takes jsdom most of a test's time. A
 * test that cares whether something is hidden says so: `toBeVisible`, or `hidden: false`.
 */
configure({ defaultHidden: true })

window.getComputedStyle = ownStyle

// Nobody watches: what moves in and out is there, or gone, at once.
window.matchMedia ??= (query) =>
  ({
    matches: query.includes('prefers-reduced-motion'),
    media: query,
    addEventListener() {},
    removeEventListener() {},
  }) as unknown as MediaQueryList

afterEach(cleanup)
