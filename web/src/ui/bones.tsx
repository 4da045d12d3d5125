const boneRows = Array.from({ length: 10 }, (_, row) => row)

/** What stands where the first rows will be. Its bars appear late: a quick answer must not flicker. */
export function Bones({ cells }: { cells: number }) {
  return boneRows.map((row) => (
    <tr key={row} className="sky-bones" aria-hidden>
      {Array.from({ length: cells }, (_, cell) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: these cells are all alike
        <td key={cell}>
          <span style={{ width: `${50 + ((row * 7 + cell * 13) % 5) * 10}%` }} />
        </td>
      ))}
    </tr>
  ))
}
