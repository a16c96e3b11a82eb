// Loaded with --import: the wall clock of this process is wrong by QM_TEST_CLOCK_SHIFT_MS.
const shiftMs = Number(process.env["QM_TEST_CLOCK_SHIFT_MS"] ?? "0")
const now = Date.now.bind(Date)
Date.now = () => now() + shiftMs
