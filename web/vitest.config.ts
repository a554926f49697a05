import { defineConfig } from "vitest/config"

export default defineConfig({
  // One page for all files: to make one takes longer than most of them.
  test: { include: ["tests/**/*.test.ts"], environment: "jsdom", pool: "threads", isolate: false },
})
