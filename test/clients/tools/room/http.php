<?php
// PHP's own HTTP: lists are written as http_build_query writes them.
function get(string $path, array $params = []): array {
    $options = ['header' => 'x-api-key: ' . getenv('PERCH_KEY'), 'ignore_errors' => true];
    $address = getenv('PERCH_URL') . $path . '?' . http_build_query($params);
    return json_decode(file_get_contents($address, false, stream_context_create(['http' => $options])), true);
}
$first = get('/v1/users/harbor_obs/tweets', ['count' => 3]);
$second = get('/v1/users/harbor_obs/tweets', ['count' => 3, 'cursor' => $first['next_cursor']]);
echo json_encode([
    'handle' => get('/v1/users/harbor_obs', ['fresh' => false])['data']['handle'],
    'ids' => array_column([...$first['data'], ...$second['data']], 'id'),
    'refusal' => get('/v1/users/nobody_sits_here')['error']['code'],
    'list' => array_column(get('/v1/users/batch', ['handles' => ['lantern_light', 'quay_library']])['data'], 'handle'),
]);
