# An S3 server of a test's own: OpenStack Swift, all its services in this process, objects in memory. It checks signatures.
# s3-server.py FOLDER [conditional]: prints its port. Without `conditional` it refuses conditional requests, as Swift 2.30 does;
# with it, Swift's own `If-None-Match: *` is let through, as in S3.
import eventlet

eventlet.monkey_patch()

import os
import sys

from eventlet import wsgi
from swift.common import utils

folder = sys.argv[1]
utils.SWIFT_CONF_FILE = os.path.join(folder, 'swift.conf')
utils.HASH_PATH_SUFFIX = utils.HASH_PATH_PREFIX = b'test'

from swift.common.middleware.s3api import s3request
from swift.common.ring import RingBuilder
from swift.common.storage_policy import reload_storage_policies
from swift.common.wsgi import loadapp

reload_storage_policies()
os.makedirs(os.path.join(folder, 'devices', 'd0'))

if 'conditional' in sys.argv:
    validate = s3request.S3Request._validate_headers

    def validate_others(request):
        condition = request.headers.pop('If-None-Match', None)
        validate(request)
        if condition is not None:
            request.headers['If-None-Match'] = condition

    s3request.S3Request._validate_headers = validate_others

common = f"""[DEFAULT]
swift_dir = {folder}
devices = {folder}/devices
mount_check = false
log_level = CRITICAL
"""


def load(name, text):
    file = os.path.join(folder, name + '.conf')
    with open(file, 'w') as out:
        out.write(common + text)
    return loadapp(file, global_conf={'log_name': name})


class Silent:
    def write(self, *_):
        pass

    debug = info = error = exception = write


def serve(socket, app):
    wsgi.server(socket, app, log=Silent(), log_output=False)


servers = {'account': 'account', 'container': 'container', 'object': 'mem_object'}
sockets = {}
for name in servers:
    sockets[name] = eventlet.listen(('127.0.0.1', 0))
    port = sockets[name].getsockname()[1]
    ring = RingBuilder(1, 1, 0)
    ring.add_dev({'id': 0, 'region': 1, 'zone': 1, 'weight': 1, 'device': 'd0', 'meta': '', 'ip': '127.0.0.1',
                  'port': port, 'replication_ip': '127.0.0.1', 'replication_port': port})
    ring.rebalance()
    ring.get_ring().save(os.path.join(folder, name + '.ring.gz'))
for name, kind in servers.items():
    app = load(name, f'[pipeline:main]\npipeline = server\n[app:server]\nuse = egg:swift#{kind}\n')
    eventlet.spawn(serve, sockets[name], app)

# Nothing listens at the address of memcache: the cache is optional.
proxy = load('proxy', """[pipeline:main]
pipeline = catch_errors cache listing_formats s3api tempauth slo proxy-server
[app:proxy-server]
use = egg:swift#proxy
allow_account_management = true
account_autocreate = true
[filter:tempauth]
use = egg:swift#tempauth
user_test_clew = secret .admin
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:slo]
use = egg:swift#slo
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:9
[filter:catch_errors]
use = egg:swift#catch_errors
""")
front = eventlet.listen(('127.0.0.1', 0))
print(front.getsockname()[1], flush=True)
serve(front, proxy)
