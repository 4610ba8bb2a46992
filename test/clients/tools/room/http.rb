# Ruby's own HTTP.
require 'net/http'
require 'json'

def get(path, params = {})
  address = URI(ENV['PERCH_URL'] + path)
  address.query = URI.encode_www_form(params)
  JSON.parse(Net::HTTP.get(address, { 'x-api-key' => ENV['PERCH_KEY'] }))
end

first = get('/v1/users/harbor_obs/tweets', count: 3)
second = get('/v1/users/harbor_obs/tweets', count: 3, cursor: first['next_cursor'])
puts({
  handle: get('/v1/users/harbor_obs', fresh: false)['data']['handle'],
  ids: (first['data'] + second['data']).map { |tweet| tweet['id'] },
  refusal: get('/v1/users/nobody_sits_here')['error']['code'],
  list: get('/v1/users/batch', handles: %w[lantern_light quay_library])['data'].map { |user| user['handle'] }
}.to_json)
