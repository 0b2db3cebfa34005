#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# invalid input gives one clear line on stderr, exit 2 and nothing on stdout; later failures exit with 1
. "$(dirname "$0")/lib.bash"

# the command itself
refuses "unknown command 'bogus'" bogus
refuses "unknown command 'restitutoin' \(did you mean 'restitution'\?\)" restitutoin
refuses "unknown command ''" ''
refuses "unknown command '--verbose'" --verbose
call
[ $status -eq 2 ] && [ ! -s out ] && grep -q restitution err
judge $? "without a command: exit 2 and the usage on stderr, $(told)"

# ---- options ----
law=(restitution --normal azad-featherstone)
one=("${law[@]}" --k 8.5e6 --lambda 3.1e3 --mass 0.154)
accepts "${one[@]}" --speed 1
accepts "${law[@]}" --k=8.5e6 --lambda=3.1e3 --mass=0.154 --speed=1
refuses "unknown option '--bogus'" "${one[@]}" --speed 1 --bogus
refuses "unknown option '--sped' \(did you mean '--speed'\?\)" "${one[@]}" --sped 1
refuses "unknown option '--lamda' \(did you mean '--lambda'\?\)" "${law[@]}" --lamda=3
refuses "unknown option '-x'" "${one[@]}" --speed 1 -x
refuses "unexpected argument 'stray'" "${one[@]}" --speed 1 stray
refuses "unexpected argument '--json'" "${one[@]}" --speed 1 -- --json
refuses "'--json' takes no value" "${one[@]}" --speed 1 --json=yes
refuses "'--speed' needs a value" "${one[@]}" --speed
refuses "'--speed' needs a value" "${one[@]}" --speed --json
refuses "'--mass' is given twice" "${one[@]}" --speed 1 --mass 2
refuses "'--json' is given twice" "${one[@]}" --speed 1 --json --json
refuses "'--normal' is given twice" "${one[@]}" --speed 1 --normal hertz
refuses "'--normal' is missing" restitution
refuses "did you mean 'azad-featherstone'" restitution --normal azad-fetherstone --k 1 --lambda 1 --mass 1 --speed 1
refuses "'HERTZ'" restitution --normal HERTZ --k 1 --mass 1 --speed 1
refuses "one of: linear, hertz, .* xiong" restitution --normal zzz --k 1 --mass 1 --speed 1
refuses "''" restitution --normal '' --k 1 --mass 1 --speed 1
# a friction law is not a normal law
refuses "'coulomb'" restitution --normal coulomb --mass 1 --speed 1
refuses "'--k' is missing" "${law[@]}" --lambda 3.1e3 --mass 0.154 --speed 1
refuses "'--lambda' is missing" "${law[@]}" --k 1 --mass 0.154 --speed 1
refuses "'--mass' is missing" "${law[@]}" --k 1 --lambda 1 --speed 1
refuses "'--speed' is missing" "${one[@]}"
refuses "'--n' is missing" restitution --normal general --p 1 --k 1 --lambda 1 --mass 1 --speed 1
refuses "'--p' is missing" restitution --normal general --n 1 --k 1 --lambda 1 --mass 1 --speed 1
refuses "'--beta' is missing" restitution --normal xiong --K 1 --alpha 1 --mass 1 --speed 1
refuses "'--e' is missing" restitution --normal flores --k 1 --mass 1 --speed 1
# one line, whatever is quoted
refuses "unknown" restitution --normal $'two\nlines\033[31m' --k 1
refuses "is not a number" "${one[@]}" --speed "$(printf 'x%.0s' {1..5000})"
refuses "unknown command" $'two\nlines\033[31m'
refuses "unknown option" restitution "--$(printf 'x%.0s' {1..5000})"

# ---- one number ----
for mass in -1 0 -0.0 -1e-300; do
    refuses "'--mass': .* not above 0" "${law[@]}" --k 1 --lambda 1 --speed 1 --mass "$mass"
done
for word in nan NaN -nan inf -inf INFINITY 1e999; do
    refuses "'--mass': '$word' is not a finite number" "${law[@]}" --k 1 --lambda 1 --speed 1 --mass "$word"
done
for word in '' ' ' abc - + . 1e 1e+ 0x10 1,5e 1_000 １ ½ '1 2' --5; do
    refuses "'--mass'" "${law[@]}" --k 1 --lambda 1 --speed 1 "--mass=$word"
done
refuses "'--mass': '1e-999' is too small" "${law[@]}" --k 1 --lambda 1 --speed 1 --mass 1e-999
refuses "'--speed': 'fast' is not a number" "${one[@]}" --speed fast
refuses "'--speed': -1 m/s is below 0" "${one[@]}" --speed -1
refuses "'--k': .*0.* is not above 0" "${law[@]}" --k 0 --lambda 1 --mass 1 --speed 1
refuses "'--lambda': .*-1.* is below 0" "${law[@]}" --k 1 --lambda -1 --mass 1 --speed 1
refuses "'--lambda-out': .*-1.* is below 0" "${one[@]}" --speed 1 --lambda-out -1
refuses "'--n': 0.99 is below 1" restitution --normal hunt-crossley --n 0.99 --k 1 --lambda 1 --mass 1 --speed 1
refuses "'--n': 3.01 is above 3" restitution --normal hunt-crossley --n 3.01 --k 1 --lambda 1 --mass 1 --speed 1
refuses "'--p': -0.1 is below 0" restitution --normal general --n 1 --p -0.1 --k 1 --lambda 1 --mass 1 --speed 1
refuses "'--alpha': -0.1 .*is below 0" restitution --normal marhefka-orin --alpha -0.1 --k 1 --mass 1 --speed 1
refuses "'--e': 1.01 is above 1" restitution --normal flores --e 1.01 --k 1 --mass 1 --speed 1
refuses "'--e': 0 is not above 0" restitution --normal flores --e 0 --k 1 --mass 1 --speed 1
refuses "'--e': -0.1 is below 0" restitution --normal lankarani-nikravesh --e -0.1 --k 1 --mass 1 --speed 1
refuses "'--v-min': 0 m/s is not above 0" restitution --normal flores --e 0.5 --v-min 0 --k 1 --mass 1 --speed 1
refuses "alpha .*must not exceed beta" restitution --normal xiong --K 1e5 --alpha 0.02 --beta 0.01 --mass 1 --speed 1
refuses "alpha .*must not exceed beta" restitution --normal xiong --K 1e5 --alpha 0.001,0.02 --beta 0.01 --mass 1 --speed 1
refuses "'--detach': unknown 'clam' \(did you mean 'clamp'\?\)" "${one[@]}" --speed 1 --detach clam
refuses "clamp, tension" "${one[@]}" --speed 1 --detach glue

# ---- units ----
refuses "'1.65 kg' is a mass \(kg\), expected a length \(m\)" "${one[@]}" --speed 1 --radius '1.65 kg'
refuses "'3 cm' is a length \(m\), expected a mass \(kg\)" "${law[@]}" --k 1 --lambda 1 --speed 1 --mass '3 cm'
refuses "'1 m' is a length \(m\), expected a speed \(m/s\)" "${one[@]}" --speed '1 m'
refuses "unknown unit 'kgg'" "${law[@]}" --k 1 --lambda 1 --speed 1 --mass '1 kgg'
refuses "'1e6 N/m' .*expected N/m\^1.5" "${law[@]}" --k '1e6 N/m' --lambda 1 --mass 1 --speed 1
refuses "'1 s' is a time \(s\)" restitution --normal marhefka-orin --k 1 --alpha '1 s' --mass 1 --speed 1
refuses "'1 s/m'" restitution --normal xiong --K 1 --alpha '1 s/m' --beta 1 --mass 1 --speed 1
refuses "'1 m' is a length \(m\), expected a time \(s\)" design --normal linear --mass 1 --speed 1 --restitution 0.5 --contact-time '1 m'
refuses "'50 %'" design --normal linear --mass 1 --speed 1 --restitution '50 %' --k 1
refuses "all numbers a unit, or none" "${one[@]}" --speed '1 m/s,2'
refuses "all numbers a unit, or none" "${one[@]}" --speed '1 m/s:2:3'
# a unit is valid for one exponent only
refuses "'--k'" restitution --normal general --n 1,1.5 --p 1 --k '1e6 N/m' --lambda 1 --mass 1 --speed 1
refuses "'--lambda'" restitution --normal general --n 1 --p 0:1:3 --k 1 --lambda '1 N s/m' --mass 1 --speed 1

# ---- lists and ranges ----
for list in 1, ,1 1,,2 , 1,x; do
    refuses "'--speed': '.*' is not a number" "${one[@]}" --speed "$list"
done
for range in 1:2 1: :2 1:2: 1:2:0 1:2:-3 1:2:2.5 1:2:3lg 1:2:3:4 1:2:1e2 1:2:1000001 1:2:99999999999999999999 1:2:log; do
    refuses "'--speed'" "${one[@]}" --speed "$range"
done
refuses "'--speed': both ends of a logarithmic range must be above 0" "${one[@]}" --speed 0:2:3log
refuses "'--speed': both ends of a logarithmic range must be above 0" "${one[@]}" --speed 1:-2:3log
refuses "'--speed': -1 m/s is below 0" "${one[@]}" --speed 1:-1:2
refuses "'--mass' takes|--mass takes" "${law[@]}" --k 1 --lambda 1 --speed 1 --mass 1,2,3
refuses "--radius takes" "${one[@]}" --speed 1 --radius 1,2,3

# ---- unsupported combinations ----
refuses "azad-featherstone has no parameter '--p'" "${one[@]}" --speed 1 --p 0.5
refuses "azad-featherstone has no parameter '--n'" "${one[@]}" --speed 1 --n 1.5
refuses "azad-featherstone has no parameter '--alpha'" "${one[@]}" --speed 1 --alpha 1
refuses "azad-featherstone has no parameter '--e'" "${one[@]}" --speed 1 --e 1
refuses "hertz has no parameter '--lambda'" restitution --normal hertz --k 1 --lambda 1 --mass 1 --speed 1
refuses "hertz has no parameter '--detach'" restitution --normal hertz --k 1 --detach clamp --mass 1 --speed 1
refuses "xiong has no parameter '--k' \(it has --K" restitution --normal xiong --k 1 --alpha 1 --beta 1 --mass 1 --speed 1
refuses "linear has no parameter '--K'" restitution --normal linear --K 1 --lambda 1 --mass 1 --speed 1
refuses "marhefka-orin has no parameter '--lambda'" restitution --normal marhefka-orin --k 1 --alpha 1 --lambda 1 --mass 1 --speed 1
for option in --restitution=0.5 --max-depth=1mm --at=1; do
    refuses "'${option%=*}'" "${one[@]}" --speed 1 "$option"
done
compared=(restitution --compare all --restitution 0.8 --max-depth 0.7mm --at 1 --mass 154g --speed 1)
accepts "${compared[@]}"
for option in --normal=hertz --k=1 --lambda=1 --lambda-out=1 --n=1 --p=1 --detach=clamp --alpha=1 --e=0.5 --K=1 --beta=1 \
    --radius=1cm --materials=steel --E=1 --nu=0.3; do
    refuses "'${option%=*}'" "${compared[@]}" "$option"
done
refuses "--lambda-star" restitution --normal lee-wang --k 1 --lambda-star 1 --radius 1 --mass 1 --speed 1
refuses "--lambda-star" restitution --normal hertz --k 1 --lambda-star 1 --radius 1 --mass 1 --speed 1
refuses "--lambda-star" restitution --normal xiong --K 1 --alpha 1 --beta 1 --lambda-star 1 --radius 1 --mass 1 --speed 1
refuses "--lambda-star" "${law[@]}" --k 1 --lambda-star 1 --mass 1 --speed 1
refuses "--lambda-star" "${one[@]}" --lambda-star 1 --radius 1cm --speed 1
refuses "'--lambda-star': .* is below 0" "${law[@]}" --k 1 --lambda-star -1 --radius 1cm --mass 1 --speed 1

# ---- materials ----
ball=("${law[@]}" --lambda 50 --speed 1 --radius 1.65cm)
accepts "${ball[@]}" --materials steel,cork
refuses "unknown material 'corc' \(did you mean 'cork'\?\)" "${ball[@]}" --materials steel,corc
refuses "unknown material 'unobtainium' .*laws --materials" "${ball[@]}" --materials unobtainium
refuses "unknown material" "${ball[@]}" --materials ''
refuses "unknown material" "${ball[@]}" --materials steel,
refuses "material" "${ball[@]}" --materials steel,cork,lead
refuses "radius" "${law[@]}" --lambda 50 --speed 1 --materials steel,cork
refuses "linear .*--k" restitution --normal linear --materials steel --radius 1cm --lambda 1 --speed 1
refuses "n = 2" restitution --normal hunt-crossley --n 2 --materials steel --radius 1cm --lambda 1 --speed 1
refuses "n = " restitution --normal hunt-crossley --n 1.5,2 --materials steel --radius 1cm --lambda 1 --speed 1
refuses "--materials" "${ball[@]}" --materials steel --E 1GPa --nu 0.3
refuses "--nu" "${ball[@]}" --mass 1 --E 1GPa
refuses "--E" "${ball[@]}" --mass 1 --nu 0.3
refuses "--nu" "${ball[@]}" --mass 1 --E 1GPa,2GPa --nu 0.3
refuses "--nu.* 0.5" "${ball[@]}" --mass 1 --E 1GPa --nu 0.51
refuses "'--nu': -0.1 is below 0" "${ball[@]}" --mass 1 --E 1GPa --nu -0.1
refuses "'--mass' is missing" "${ball[@]}" --E 1GPa --nu 0.3
refuses "'--radius': .* not above 0" "${law[@]}" --lambda 50 --speed 1 --materials steel --radius 0

# ---- restitution --compare ----
several=(restitution --restitution 0.8 --max-depth 0.7mm --at 1 --mass 154g --speed 1)
refuses "'tsuij' .*did you mean 'tsuji'" "${several[@]}" --compare linear,tsuij
for laws in '' linear, ,linear zzz xiong hertz flores general; do
    refuses "--compare has no law" "${several[@]}" --compare "$laws"
done
refuses "'--restitution' is missing" restitution --compare all --max-depth 1mm --at 1 --mass 1 --speed 1
refuses "'--max-depth' is missing" restitution --compare all --restitution 0.8 --at 1 --mass 1 --speed 1
refuses "'--at' is missing" restitution --compare all --restitution 0.8 --max-depth 1mm --mass 1 --speed 1
refuses "'--mass' is missing" restitution --compare all --restitution 0.8 --max-depth 1mm --at 1 --speed 1
refuses "'--speed' is missing" restitution --compare all --restitution 0.8 --max-depth 1mm --at 1 --mass 1
refuses "'--at' takes one number" restitution --compare all --restitution 0.8 --max-depth 1mm --at 1,2 --mass 1 --speed 1
for e in 0 1 -1 2 nan; do
    refuses "'--restitution'" restitution --compare all --restitution "$e" --max-depth 1mm --at 1 --mass 1 --speed 1
done

# ---- design ----
wish=(design --normal azad-featherstone --mass 154g --speed 1)
accepts "${wish[@]}" --k 8.5e6 --restitution 0.62
refuses "--restitution or --loss" "${wish[@]}" --k 1
refuses "--restitution or --loss" "${wish[@]}" --k 1 --restitution 0.5 --loss 0.5
refuses "k is given already" "${wish[@]}" --k 1 --restitution 0.5 --contact-time 1ms
refuses "k is given already" "${wish[@]}" --k 1 --restitution 0.5 --max-depth 1mm
refuses "k is given already" "${wish[@]}" --materials steel --radius 1cm --restitution 0.5 --max-depth 1mm
refuses "--contact-time or --max-depth" "${wish[@]}" --restitution 0.5 --contact-time 1ms --max-depth 1mm
refuses "--k, .*--contact-time or --max-depth" "${wish[@]}" --restitution 0.5
refuses "'--restitution': 1.1 is above 1" "${wish[@]}" --k 1 --restitution 1.1
refuses "'--restitution': 0 is not above 0" "${wish[@]}" --k 1 --restitution 0
refuses "e = 1 means no damping" "${wish[@]}" --k 1 --restitution 1
refuses "'--loss': 0 is not above 0" "${wish[@]}" --k 1 --loss 0
refuses "'--loss': 1 is above" "${wish[@]}" --k 1 --loss 1
refuses "'--contact-time': 0 s is not above 0" "${wish[@]}" --restitution 0.5 --contact-time 0
refuses "'--max-depth': -1 m is not above 0" "${wish[@]}" --restitution 0.5 --max-depth -1
refuses "'--lambda' is found by design" "${wish[@]}" --k 1 --restitution 0.5 --lambda 1
refuses "'--lambda-out' is found by design" "${wish[@]}" --k 1 --restitution 0.5 --lambda-out 1
refuses "'--lambda-star' is found by design" "${wish[@]}" --k 1 --restitution 0.5 --lambda-star 1 --radius 1
refuses "'--alpha' is found by design" design --normal marhefka-orin --mass 1 --speed 1 --k 1 --restitution 0.5 --alpha 1
refuses "'--K' is found by design" design --normal xiong --mass 1 --restitution 0.8 --contact-time 1 --K 1
refuses "hertz has no damping" design --normal hertz --mass 1 --speed 1 --k 1 --restitution 0.5
refuses "flores" design --normal flores --mass 1 --speed 1 --k 1 --restitution 0.5 --e 0.5
refuses "'--restitution' takes one number" "${wish[@]}" --k 1 --restitution 0.5,0.6
refuses "'--k' takes one number" "${wish[@]}" --k 1,2 --restitution 0.5
refuses "'--speed' takes one number" design --normal linear --mass 1 --speed 1,2 --k 1 --restitution 0.5
refuses "one mass" design --normal linear --mass 1:2:2 --speed 1 --k 1 --restitution 0.5
refuses "'--speed' is missing" design --normal linear --mass 1 --k 1 --restitution 0.5
refuses "--contact-time" design --normal xiong --mass 1 --restitution 0.8
refuses "--contact-time" design --normal xiong --mass 1 --restitution 0.8 --max-depth 1mm
expect 1 'cannot reach e = 0.2.*0.2247' design --normal xiong --mass 1 --restitution 0.2 --contact-time 1ms

# ---- phase ----
plane=(phase --normal marhefka-orin --k 50e3 --alpha 0.4 --mass 50)
accepts "${plane[@]}" --speed 1 --branch 2
refuses "'--branch': 0 m/s is not above 0" "${plane[@]}" --speed 1 --branch 0
refuses "'--branch': -2 m/s is not above 0" "${plane[@]}" --speed 1 --branch -2
refuses "'--points': 1 is below 2" "${plane[@]}" --speed 1 --points 1
refuses "'--points': .* is above" "${plane[@]}" --speed 1 --points 1e7
refuses "'--points'" "${plane[@]}" --speed 1 --points 2.5
refuses "'--points' takes one number" "${plane[@]}" --speed 1 --points 2,3
refuses "sweeps speeds only" phase --normal hertz --k 1,2 --mass 1 --speed 1
refuses "sweeps speeds only" phase --normal hertz --k 1 --mass 1:2:2 --speed 1
refuses "--branch" phase --normal xiong --K 1 --alpha 1 --beta 2 --mass 1 --speed 1 --branch 1

# ---- fit ----
printf 'speed,restitution\n1,0.5\n2,0.45\n3,0.44\n' >good.csv
fit=(--normal azad-featherstone --mass 154g --k 1e6)
accepts fit good.csv "${fit[@]}"
# bad NAME CONTENT PATTERN: a file that is refused with this message
bad() {
    printf "$2" >"$1.csv"
    refuses "^footfall fit: $1.csv:$3" fit "$1.csv" "${fit[@]}"
}
bad empty '' '1:1: '
bad names 'speed,restitution\n' '2:1: '
bad word 'speed,restitution\n1,0.5\n2,x\n' "3:3: 'x' is not a number"
bad spaces 'speed,restitution\n1,0.5\n2,    x\n' "3:[37]: 'x' is not a number"
bad after_comment '# one\n\nspeed,restitution\n# two\n1,0.5\n\n2,x\n' '7:3: '
bad nan 'speed,restitution\n1,0.5\n2,nan\n' "3:3: 'nan'"
bad unit 'speed,restitution\n1 kg,0.5\n2,0.4\n' "2:1: '1 kg'"
bad few 'speed,restitution\n1,0.5\n2\n' '3:2: fewer fields'
bad many 'speed,restitution\n1,0.5\n2,0.4,3\n' '3:7: more fields'
bad twice 'speed,speed\n1,2\n' '1:7: '
bad nameless 'speed,,restitution\n1,2,3\n' '1:7: '
bad headless '1,0.5\n2,0.4\n' "(1:1: )?.*'1'"
bad near_name 'speed,restitutoin\n1,0.5\n2,0.4\n' "1:7: .*'restitutoin' \(did you mean 'restitution'\?\)"
bad far_name 'banana,velocidad\n0,1\n' "1:1: columns are needed: speed and restitution; or time"
bad absent 'speed\n1\n2\n' '1:1: columns are needed: speed and restitution'
bad standing 'speed,restitution\n1,0.5\n0,0.4\n' '3:1: speed'
bad negative 'speed,restitution\n1,-0.5\n2,0.4\n' '2:3: restitution'
bad gain 'speed,restitution\n1,0.5\n2,1.001\n' '3:3: restitution is 1.001, but must be > 0 and at most 1'
bad huge 'speed,restitution\n1,0.5\n2e112,0.4\n' '3:1: speed is 2e\+112, but must be > 0 and below 1e6 m/s'
bad hole 'speed,restitution\n1,\n2,0.4\n' '2:3: restitution'
bad exact 'speed,restitution,sigma\n1,0.5,0.1\n2,0.4,0\n' '3:7: sigma'
bad instant 'contact_time,speed,restitution\n1,1,0.5\n0,2,0.4\n' '3:1: contact_time'
bad instant_sigma 'speed,restitution,contact_time,time_sigma\n1,0.5,1,1\n2,0.4,1,-1\n' '3:9: time_sigma'
bad decimal_commas 'speed;restitution\n1;0.5\n2,5;0.4\n' "3:1: '2,5'.*decimal point"
bad head_unit 'speed [kg],restitution\n1,0.5\n2,0.4\n' "1:1: the unit of 'speed' is 'kg', but must be one of m/s"
bad head_word 'speed [furlong/s],restitution\n1,0.5\n2,0.4\n' "1:1: .*'furlong'"
bad head_open 'speed [m/s,restitution\n1,0.5\n2,0.4\n' "1:1: .*brackets"
bad long_cell "speed [m/s],restitution\n$(printf '1%.0s' $(seq 300)),0.5\n2,0.4\n" "2:1: .*too long"
bad clicks 't [ms]\n0\n900\n1500\n2400\n2600\n' '5:1: time is 2.4, but the time since'
bad backwards 't [ms]\n0\n900\n800\n2400\n2600\n' '4:1: time is 0.8, but must increase'
bad higher 'drop [cm],rebound [cm]\n100,50\n100,101\n' '3:5: rebound is 1.01, but must be at most the drop'
bad climbing 'h [cm]\n100\n50\n60\n' '4:1: height is 0.6, but must be below the previous one'
bad pulse_hole 't,force\n0,1\n1,\n2,3\n' '3:3: force is missing'
refuses "'--data': unknown|unknown .*'bananas'" fit good.csv "${fit[@]}" --data bananas
refuses "data of kind force-time need a column 'time'" fit good.csv "${fit[@]}" --data force-time
refuses "'--gravity' is for bounces and heights" fit good.csv "${fit[@]}" --gravity 9.8
refuses "'--scatter' is for bounces and heights" fit good.csv "${fit[@]}" --scatter bounces
refuses "'--level'" fit good.csv "${fit[@]}" --level 1
refuses "'--level'" fit good.csv "${fit[@]}" --level 0
refuses "no numeric parameter 'banana'" fit good.csv "${fit[@]}" --free banana --lambda 1
refuses "'--free-k' cannot be used with --free" fit good.csv "${fit[@]}" --free lambda --free-k
refuses "'--n' is missing" fit good.csv --normal general --mass 1 --k 1e6 --free lambda --p 1
accepts fit good.csv --normal general --mass 1 --k 1e6 --free lambda,p --n 1.5 --lambda 1
refuses "nope.csv: No such file" fit nope.csv "${fit[@]}"
refuses "$work" fit "$work" "${fit[@]}"
refuses "too few arguments" fit "${fit[@]}"
refuses "unexpected argument 'b.csv'" fit good.csv b.csv "${fit[@]}"
refuses "'--k' is missing" fit good.csv --normal azad-featherstone --mass 1
refuses "'--mass' is missing" fit good.csv --normal azad-featherstone --k 1
refuses "'--lambda' is found by fit" fit good.csv "${fit[@]}" --lambda 1
refuses "'--lambda-out' is found by fit" fit good.csv "${fit[@]}" --lambda-out 1
refuses "'--lambda-star' is found by fit" fit good.csv "${fit[@]}" --lambda-star 1 --radius 1
refuses "'--alpha' is found by fit" fit good.csv --normal marhefka-orin --k 1 --mass 1 --alpha 1
refuses "'--speed' is in the data" fit good.csv "${fit[@]}" --speed 1
refuses "'--k' cannot be used with --free-k" fit good.csv "${fit[@]}" --free-k
refuses "'--k' takes one number" fit good.csv --normal linear --mass 1 --k 1,2
refuses "one mass" fit good.csv --normal linear --mass 1:2:2 --k 1
for law in hertz xiong flores lankarani-nikravesh; do
    refuses "" fit good.csv --normal $law --mass 1
done
expect 1 'through one group only' fit good.csv --normal azad-featherstone --mass 1 --free-k
printf 'speed,restitution\n1,0.5\n' >single.csv
expect 1 'at least 2 are needed' fit single.csv "${fit[@]}"

# ---- laws ----
refuses "unknown law 'azad-fetherstone' \(did you mean 'azad-featherstone'\?\)" laws azad-fetherstone
refuses "unknown law 'zzz'" laws zzz
refuses "unknown law ''" laws ''
refuses "unexpected argument 'hertz'" laws linear hertz
refuses "draws normal laws" laws coulomb --json --plot x.svg
refuses "" laws hertz --materials
refuses "" laws hertz --markdown

# ---- output that cannot be written ----
for what in "${one[*]} --speed 1" "${one[*]} --speed 1 --json" '--help' '--version' 'laws' 'restitution --help'; do
    # shellcheck disable=SC2086
    timeout 10 "$FOOTFALL" $what >/dev/full 2>err
    status=$?
    [ $status -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q 'standard output' err
    judge $? "$what >/dev/full: exit $status, $(cat err)"
done
timeout 10 "$FOOTFALL" "${one[@]}" --speed 1 >&- 2>err
status=$?
[ $status -eq 1 ] && [ "$(wc -l <err)" -eq 1 ]
judge $? "stdout closed: exit $status, $(cat err)"
timeout 10 "$FOOTFALL" "${one[@]}" --speed 1 <&- >out 2>err && [ -s out ] && [ ! -s err ]
judge $? "stdin closed: $(cat err)"

# ---- extreme numbers: a numerical result, or one line and exit 1; never nonsense, never an endless run ----
checks <<'PYTHON'
from lib import *

def sound(*args):
    r = run('restitution', *args, '--mass', 1, '--json', limit=15)
    what = ' '.join(map(str, args))
    if r.returncode == 1:
        check(f'{what}: one line', r.stdout == '' and r.stderr.count('\n') == 1, r.stderr[:200])
        return
    check(f'{what}: exit', r.returncode == 0, f'{r.returncode} {r.stderr[:200]}')
    for p in json.loads(r.stdout or '{}').get('points', []):
        # endless contacts are not among these; underflow of a loss to 0 is rounding
        numbers = [p[key] for key in ('contact_time', 'max_depth', 'max_force')]
        ok = all(isinstance(x, (int, float)) and x > 0 for x in numbers) and 0 <= p['restitution'] <= 1
        check(f'{what}: depth, force and time are above 0, e is in [0, 1]', ok, [p['restitution'], *numbers])

for law, k in (('hertz', '--k'), ('azad-featherstone', '--k'), ('linear', '--k'), ('hunt-crossley', '--k'), ('xiong', '--K')):
    damping = {'hertz': (), 'xiong': ('--alpha', 0.007, '--beta', 0.01)}.get(law, ('--lambda', 1))
    for stiffness in (1e-300, 1e-30, 1e30, 1e300):
        sound('--normal', law, k, stiffness, *damping, '--speed', 1)
    for speed in (1e-300, 1e-12, 1e12, 1e300):
        sound('--normal', law, k, 1e6, *damping, '--speed', speed)
for lam in (0, 1e-300, 1e3, 1e12, 1e300):
    sound('--normal', 'azad-featherstone', '--k', 1, '--lambda', lam, '--speed', 1)
    sound('--normal', 'hunt-crossley', '--k', 1, '--lambda', lam, '--speed', 1)
    sound('--normal', 'linear', '--k', 1, '--lambda', lam, '--speed', 1)
for alpha in (1e-300, 1e-12, 1e-9, 1):
    sound('--normal', 'xiong', '--K', 1, '--alpha', alpha, '--beta', 1, '--speed', 1)
for n, p in ((1, 3), (3, 0), (3, 3), (1, 0), (1.7, 0.3), (2.2, 2.9)):
    sound('--normal', 'general', '--n', n, '--p', p, '--k', 1, '--lambda', 0.5, '--speed', 1)
for depth in (1e-200, 1e200):
    r = run('design', '--normal', 'azad-featherstone', '--mass', 1, '--speed', 1, '--restitution', 0.5, '--max-depth', depth, '--json')
    k = json.loads(r.stdout)['parameters']['k'] if r.returncode == 0 else 1
    check(f'design --max-depth {depth}: numbers or exit 1', r.returncode in (0, 1) and k is not None and k > 0, f'{r.returncode} k = {k}')
# measurements that no damping explains, and very different speeds
for name, rows in (('ones', '1,1\n2,1\n3,1\n'), ('wide', '9e5,0.5\n1e-12,0.4\n1,0.3\n')):
    with open(f'{name}.csv', 'w') as f:
        f.write('speed,restitution\n' + rows)
    for law in ('azad-featherstone', 'hunt-crossley', 'linear', 'lee-wang', 'tsuji'):
        r = run('fit', f'{name}.csv', '--normal', law, '--k', 1e6, '--mass', 1, '--json', limit=15)
        check(f'fit of {name} by {law} comes to an end', r.returncode in (0, 1), r.returncode)
finish()
PYTHON

finish
