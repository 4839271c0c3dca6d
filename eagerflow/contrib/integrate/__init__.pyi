from eagerflow.contrib.integrate.adaptive import odeint as odeint
from eagerflow.contrib.integrate.fixed import odeint_fixed as odeint_fixed
