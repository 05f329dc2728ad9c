-- For wrk: sends the request in a file again and again, "{n}" in it being another number every time.
-- Arguments: the file, and the digits with which the numbers begin. The last line of output is what load.py reads.
local parts, first, count = {}, "", 0

function init(arguments)
  local file = assert(io.open(arguments[1], "rb"))
  local rest = file:read("*a") .. "{n}"
  file:close()
  first = arguments[2]
  for part in rest:gmatch("(.-){n}") do
    parts[#parts + 1] = part
  end
end

function request()
  count = count + 1
  return table.concat(parts, string.format("%s%07d", first, count))
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.status + errors.connect + errors.read + errors.write + errors.timeout
  local times = { latency:percentile(50), latency:percentile(99) }
  print(string.format("%d %d %d %d %d", summary.requests, summary.duration, times[1], times[2], failed))
end
